import { type AgentCaller, type Authorization, type Chain, type Extension, Refusal, refuse, usd } from '@carapace/api'
import { domainOperationId, type FundingSource, findSource, operationKey, optionsNow, reserveCustodial } from '@carapace/chain'
import type { Agent } from '@carapace/projections'
import { holdAtIntake, unlessPassing } from '@carapace/service'
import { orExisting, type Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { dropped } from './apply-domain-outcome.ts'
import { changeDomain } from './change-domain.ts'
import { domainIdOf } from './domain.store.ts'
import type { Domain, Sale, TextRecord } from './domain.ts'
import { deadline, earlier, type Made, operationOf } from './operations.ts'
import { faultOf, meetsFreeScore, priceOf } from './price.ts'
import { registryAmong } from './registry.ts'
import { mint, needVacant, nextNumber, type Reservation, reserve } from './reservation.ts'
import { passingStates } from './states.ts'

export interface WantedName {
  caller: AgentCaller
  name: string
  tld: Extension
  /** The most the caller agrees to, micro-USDC; undefined: the price of the table. */
  mostPrice: bigint | undefined
}

export interface RegistrationRequest extends WantedName {
  authorization: Authorization | undefined
  /** False for an unsigned call that strangers could make: it draws on no wallet. */
  isProven: boolean
  operationId: string
  /** Of the call, where x402 can pay for it. */
  path: string | undefined
}

/** What pays the price of a name. */
interface Charge extends Omit<Sale, 'isBooked' | 'price'> {
  /** Undefined where treasury must set the money aside first. */
  source: FundingSource | undefined
  chain: Chain
}

/** Registrations of one agent in parallel may want the same free place. */
const slotTries = 4

/**
 * Reserves a name and has it minted, against its price where it has one. The same operation again answers the first registration.
 * @throws NAME_INVALID, NAME_RESERVED, NAME_TAKEN, ALREADY_EXISTS, PRICE_MISMATCH, FUNDS_REQUIRED, SIGNATURE_REQUIRED
 */
export async function register(parts: Parts, request: RegistrationRequest): Promise<Made> {
  const done = await earlier(parts, request.operationId)
  if (done) return done
  const { made, charge } = await reserveName(parts, request, (agent, price) => findCharge(parts, request, agent, price))
  if (charge?.kind !== 'treasury') return made
  // from here on the registration is carried out, by the job if not by this call: what fails in passing refuses nothing
  const isCovered = (await unlessPassing(drawOnTreasury(parts, made.domain.id))) !== false
  if (!isCovered) refuse('FUNDS_REQUIRED', { options: { ...(await optionsNow(parts, charge.need)), ...charge.onchain } })
  return made
}

/**
 * Reserves a name for the caller, and sends its command where its price is covered already.
 * @param chargeFor what pays a price; called for a name that has one
 * @throws NAME_INVALID, NAME_RESERVED, NAME_TAKEN, ALREADY_EXISTS, ACCOUNT_SUSPENDED, PRICE_MISMATCH
 */
export async function reserveName<C extends Charge>(
  parts: Parts,
  request: WantedName & { operationId: string },
  chargeFor: (agent: Agent, price: bigint) => Promise<C>,
): Promise<{ made: Made; charge: C | undefined }> {
  needValid(request.name)
  return reserveInTries(parts, request, chargeFor).catch(checkingVacancy(parts, request))
}

async function reserveInTries<C extends Charge>(
  parts: Parts,
  request: WantedName & { operationId: string },
  chargeFor: (agent: Agent, price: bigint) => Promise<C>,
): Promise<{ made: Made; charge: C | undefined }> {
  const agent = await needRegistrable(parts, request)
  for (let attempt = 1; ; attempt++)
    try {
      return await reserveOnce(parts, request, agent, chargeFor)
    } catch (error) {
      const isSlotRace = error instanceof Refusal && error.code === 'CONFLICT'
      if (!isSlotRace || attempt === slotTries) throw error
    }
}

/** @throws NAME_INVALID, NAME_RESERVED */
export function needValid(name: string): void {
  const fault = faultOf(name)
  if (fault) refuse(fault === 'invalid' ? 'NAME_INVALID' : 'NAME_RESERVED')
}

/** The agent that registers. @throws NAME_TAKEN, ALREADY_EXISTS, ACCOUNT_SUSPENDED */
export async function needRegistrable(parts: Parts, { name, tld, caller }: WantedName): Promise<Agent> {
  needVacant(await parts.domains.byName(`${name}${tld}`), caller.wallet, parts.clock.now())
  const own = tld === '.molt' ? await parts.domains.moltOf(caller.agentId) : undefined
  if (own) refuse('ALREADY_EXISTS', undefined, { message: 'The agent has a .molt name', ...(own.status in passingStates ? { retryable: true } : {}) })
  return registrant(parts, tld, caller.agentId)
}

/** Without a price the copy of the agent will do; where its score decides what is paid, its owners are read. @throws ACCOUNT_SUSPENDED */
async function registrant({ agents }: Parts, tld: Extension, agentId: string): Promise<Agent> {
  const agent = await (tld === '.molt' ? agents.need(agentId) : agents.fresh(agentId))
  if (agent.status !== 'active') refuse('ACCOUNT_SUSPENDED', { status: agent.status })
  return agent
}

/** What the agent has to pay, micro-USDC, and its free place where its score gives it one. @throws PRICE_MISMATCH */
export async function priceFor(parts: Parts, { name, tld, mostPrice }: WantedName, agent: Agent): Promise<{ price: bigint; freeSlot?: string }> {
  const full = priceOf(name, tld)
  const freeSlot =
    full > 0n && meetsFreeScore(tld, agent.fusedScore) ? await parts.domains.vacantFreeSlot(agent.id, { name, tld }, parts.clock.now()) : undefined
  const price = freeSlot === undefined ? full : 0n
  if (mostPrice !== undefined && mostPrice < price) refuse('PRICE_MISMATCH', { price: usd(price) })
  return { price, ...(freeSlot === undefined ? {} : { freeSlot }) }
}

async function reserveOnce<C extends Charge>(
  parts: Parts,
  request: WantedName & { operationId: string },
  agent: Agent,
  chargeFor: (agent: Agent, price: bigint) => Promise<C>,
): Promise<{ made: Made; charge: C | undefined }> {
  const { name, tld, caller, operationId } = request
  const { price, freeSlot } = await priceFor(parts, request, agent)
  const charge = price === 0n ? undefined : await chargeFor(agent, price)
  const chain = charge?.chain ?? agent.preferredChain
  const reservation: Reservation = {
    id: domainIdOf(`${name}${tld}`),
    name,
    tld,
    chain,
    registries: await parts.networks.everyContract(chain, 'domains'),
    agentId: agent.id,
    wallet: caller.wallet,
    operationId,
    freeSlot,
    sale: charge ? { price, kind: charge.kind, payer: charge.payer } : null,
    source: charge?.source,
    texts: textsOf(parts, agent),
    now: parts.clock.now(),
    deadline: deadline(),
  }
  const domain = await writeReservation(parts, reservation)
  return { made: { domain, operation: operationOf(domain, operationId) }, charge }
}

/** While other services were called, another caller may have registered the name: then that is the answer. @throws NAME_TAKEN, or the error */
const checkingVacancy =
  ({ domains, clock }: Parts, { name, tld, caller }: WantedName) =>
  async (error: unknown): Promise<never> => {
    needVacant(await domains.byName(`${name}${tld}`), caller.wallet, clock.now())
    throw error
  }

async function findCharge(parts: Parts, request: RegistrationRequest, agent: Agent, price: bigint) {
  const { caller, authorization, isProven, name, tld, path } = request
  const chain = agent.preferredChain
  const id = domainIdOf(`${name}${tld}`)
  const whose = { agentId: agent.id, wallet: caller.wallet, chain, amount: price, authorization, isProven }
  const present = await parts.domains.get(id)
  const contract = registryAmong(present, chain, await parts.networks.everyContract(chain, 'domains'))
  const need = { ...whose, contract: 'domains' as const, contractAddress: contract, x402At: path }
  const found = await findSource(parts, need)
  const onchain = { onchain: { contract, amount: String(price) }, nonce: domainOperationId(id, nextNumber(present)) }
  if (found.kind === 'none') return refuse('FUNDS_REQUIRED', { options: { ...found.options, ...onchain } })
  return { kind: found.kind, payer: found.from, source: found.kind === 'treasury' ? undefined : found.source, chain, need, onchain }
}

/** One record a name: the first writer has the name. @throws NAME_TAKEN, ALREADY_EXISTS, CONFLICT */
async function writeReservation({ domains }: Parts, reservation: Reservation): Promise<Stored<Domain>> {
  const { id } = reservation
  const existing = async () => ((await domains.get(id)) ? domains.change(id, present => reserve(present, reservation)) : undefined)
  const registered = await existing()
  if (registered) return registered
  const { state, events } = reserve(undefined, reservation)
  // of two first writers, the slower one is refused by what the other has made of the name
  return orExisting(domains.create(state, events), existing)
}

/** ENS text records; the new owner of a transferred name writes its own. */
const textsOf = ({ baseUrl }: Parts, { id, handle }: Agent): TextRecord[] => [
  { key: 'agentId', value: id },
  { key: 'url', value: profileUrl(baseUrl, handle) },
  { key: 'avatar', value: `${baseUrl}/api/agents/${id}/card` },
]
export const profileUrl = (baseUrl: string, handle: string): string => `${baseUrl}/api/agents/${handle}`

/** Sets money aside for a reserved name and sends its command; false when treasury refuses, then the name is as before. */
export async function drawOnTreasury(parts: Parts, id: string): Promise<boolean> {
  const domain = await parts.domains.need(id)
  if (domain.status !== 'funding') return true
  const { n, sale, operationId } = domain.operations.at(-1)!
  const key = operationKey('domain.mint', id, n)
  const source =
    sale!.kind === 'x402'
      ? await holdPayment(parts, operationId, key)
      : await reserveCustodial(parts, {
          owner: 'domains',
          key,
          round: 1,
          agentId: domain.agentId!,
          amount: sale!.price,
          chain: domain.chain,
          purpose: `Domain ${domain.fullDomain}`,
        })
  if (source === 'pending') return true
  await changeDomain(parts, id, (present, mayLink) => {
    if (present.status !== 'funding' || present.operations.at(-1)!.n !== n) return undefined
    return source ? mint(present, source, deadline()) : dropped(present, 'FUNDS_REQUIRED', parts.clock.now(), mayLink)
  })
  return source !== undefined
}

/** Sets an x402 payment aside for a mint; pending: it is not at the intake for good yet. The intake pays as a custodial wallet does. */
async function holdPayment(parts: Parts, id: string, key: string): Promise<FundingSource | 'pending' | undefined> {
  const held = await holdAtIntake(parts, id, { key, round: 1 })
  if (held.status === 'pending') return 'pending'
  return held.status === 'held' ? { kind: 'custodial', from: held.payTo } : undefined
}
