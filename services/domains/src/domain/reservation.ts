import { type Chain, dayMs, type Extension, refuse, retryableIn } from '@carapace/api'
import { commands, domainTokenId, type FundingSource, type OnChain, sentOnChain } from '@carapace/chain'
import type { Decision } from '@carapace/store'
import { type Domain, hasFailed, lastOperation, type Operation, partsOf, type Sale, type TextRecord } from './domain.ts'
import { registriesElsewhere, registryAmong } from './registry.ts'
import { type DomainTrigger, domainStates, passingStates } from './states.ts'

/** Only the former owner registers a deleted name before it is free again. */
export const restMs = 30 * dayMs
/** The oldest operations are forgotten: no reorganisation reaches as far back as so many on one name. */
const rememberedOperations = 12

export interface Reservation {
  id: string
  name: string
  tld: Extension
  chain: Chain
  /** Of that network, oldest first. */
  registries: readonly string[]
  agentId: string
  wallet: string
  operationId: string
  freeSlot: string | undefined
  sale: Omit<Sale, 'isBooked'> | null
  /** Undefined where treasury must set the money aside first. */
  source: FundingSource | undefined
  texts: readonly TextRecord[]
  now: Date
  /** Past it the relayer signs nothing, wall clock. */
  deadline: Date
}

/** The chain may still carry out a registration of this name that came to nothing. */
const heldMs = dayMs

/** Whether the place of a name is its own now: of one that came to nothing, for a day. */
export function holdsFreeSlot({ status, operations }: Pick<Domain, 'status' | 'operations'>, now: Date): boolean {
  const last = lastOperation({ operations })
  const cameToNothing = (status === 'free' || status === 'released') && last?.kind === 'register' && hasFailed(last)
  return !cameToNothing || last.at.getTime() + heldMs > now.getTime()
}

/** Gives the place of a name away that came to nothing; undefined while it has it. */
export const vacate = (domain: Domain, freeSlot: string, now: Date): Decision<Domain> | undefined => {
  const { freeSlot: own, ...rest } = domain
  return own === freeSlot && !holdsFreeSlot(domain, now) ? { state: rest, events: [] } : undefined
}

/** Whether this wallet may register the name now. */
export function isRegistrable({ status, dueAt, formerOwner }: Pick<Domain, 'status' | 'dueAt' | 'formerOwner'>, wallet: string, now: Date): boolean {
  return status === 'free' || (status === 'released' && (formerOwner === wallet || (dueAt !== undefined && dueAt <= now)))
}

export const nextNumber = (domain: Pick<Domain, 'operations'> | undefined): number => ((domain && lastOperation(domain)?.n) ?? 0) + 1

export const withOperation = (domain: Domain, operation: Operation): readonly Operation[] => {
  const others = domain.operations.filter(({ n }) => n !== operation.n)
  return [...others, operation].toSorted((a, b) => a.n - b.n).slice(-rememberedOperations)
}

/** Of an operation whose command is not sent. */
export const unsent: Required<OnChain> = { ...sentOnChain, round: 0 }

export const newOperation = (
  fields: Pick<Operation, 'kind' | 'n' | 'operationId' | 'at' | 'from' | 'to' | 'fromAgentId' | 'toAgentId'> & Partial<Operation>,
): Operation => ({
  onChain: null,
  linkedBefore: [],
  sale: null,
  texts: [],
  ...fields,
})

/** @throws NAME_TAKEN, retryable while another registration of it, or its deletion by this wallet, is under way */
export function needVacant(present: Domain | undefined, wallet: string, now: Date): void {
  if (!present || isRegistrable(present, wallet, now)) return
  const isResting = lastOperation(present)?.restUntil !== undefined
  const vacant = present.ownerWallet === wallet ? ['free', 'released'] : isResting ? [] : ['free']
  refuse('NAME_TAKEN', undefined, retryableIn(passingStates, present.status, vacant))
}

/** Reserves a name for an agent; money moves after that only. @throws NAME_TAKEN */
export function reserve(present: Domain | undefined, request: Reservation): Decision<Domain> {
  const { id, name, tld, chain, agentId, wallet, operationId, freeSlot, sale, source, texts, now, deadline } = request
  needVacant(present, wallet, now)
  const restUntil = present?.status === 'released' && present.dueAt !== undefined && present.dueAt > now ? present.dueAt : undefined
  const operation = newOperation({
    kind: 'register',
    chain,
    n: nextNumber(present),
    operationId,
    at: now,
    from: null,
    to: wallet,
    fromAgentId: null,
    toAgentId: agentId,
    sale: sale && { ...sale, isBooked: false },
    texts,
    ...(freeSlot === undefined ? {} : { freeSlot }),
    ...(restUntil ? { restUntil } : {}),
  })
  const { freeSlot: _, dueAt: __, ...before } = present ?? blank(request)
  const reserved: Domain = {
    ...before,
    id,
    name,
    chain,
    registry: registryAmong(present, chain, request.registries),
    ...registriesElsewhere(present, chain),
    status: domainStates.move(before.status, 'fund'),
    ownerWallet: wallet,
    agentId,
    linkedAgents: tld === '.molt' ? [agentId] : [],
    ...(freeSlot === undefined ? {} : { freeSlot }),
    registeredAt: now,
    operations: withOperation(before, operation),
  }
  const isCovered = sale === null || source !== undefined
  return isCovered ? mint(reserved, source, deadline) : { state: { ...reserved, dueAt: now }, events: [] }
}

const blank = ({ id, name, tld, chain, now }: Reservation): Domain => ({
  id,
  name,
  tld,
  fullDomain: `${name}${tld}`,
  tokenId: String(domainTokenId(`${name}${tld}`)),
  chain,
  status: 'free',
  ownerWallet: null,
  agentId: null,
  linkedAgents: [],
  registeredAt: now,
  formerOwner: null,
  operations: [],
  parts: partsOf(name),
  listed: false,
})

/** Sends the command that mints a reserved name and, where it has a price, moves the price. */
export function mint(domain: Domain, source: FundingSource | undefined, deadline: Date): Decision<Domain> {
  const operation = lastOperation(domain)!
  const { n, sale, to, texts } = operation
  const { dueAt: _, ...rest } = domain
  const sent: Operation = { ...operation, onChain: sentOnChain }
  return {
    state: { ...rest, status: domainStates.move(domain.status, 'mint'), operations: withOperation(domain, sent) },
    events: [
      commands.domainMint({
        chain: domain.chain,
        contract: domain.registry,
        domainId: domain.id,
        n,
        fullDomain: domain.fullDomain,
        owner: to!,
        texts: [...texts],
        sale: sale && source ? { price: sale.price, source } : null,
        deadline,
      }),
    ],
  }
}

/** The name without its last registration, for which nothing was charged. */
export function drop(domain: Domain, code: string): Domain {
  const operation = lastOperation(domain)!
  const { onChain } = operation
  const failed: Operation = { ...operation, onChain: { ...(onChain ?? unsent), status: 'failed', error: onChain?.error ?? code } }
  return withoutRegistration({ ...domain, operations: withOperation(domain, failed) }, failed, { free: 'drop', released: 'restAgain' })
}

/** The name as it was before a registration that came to nothing: free, or resting for its former owner until the same day. */
export function withoutRegistration(
  domain: Domain,
  { restUntil, to, toAgentId }: Operation,
  triggers: Readonly<Record<'free' | 'released', DomainTrigger>>,
): Domain {
  const { dueAt: _, ...rest } = domain
  const before: Domain = { ...rest, linkedAgents: [] }
  return restUntil === undefined
    ? { ...before, status: domainStates.move(domain.status, triggers.free), ownerWallet: null, agentId: null }
    : {
        ...{ ...before, status: domainStates.move(domain.status, triggers.released), ownerWallet: to, agentId: toAgentId },
        ...{ formerOwner: to, dueAt: restUntil },
      }
}
