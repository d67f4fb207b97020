import { type Draft, domainActivated, domainDeleted, domainSynced, domainTransferred } from '@carapace/api'
import { followOutcome, type ObservedOutcome, type OnChain } from '@carapace/chain'
import type { Decision } from '@carapace/store'
import { type Domain, isOwned, isPrimary, lastOperation, type Operation } from './domain.ts'
import { drop, restMs, unsent, withOperation, withoutRegistration } from './registration.ts'
import { domainStates } from './states.ts'

type SentOperation = Operation & { onChain: Required<OnChain> }

/** What an outcome means for a name; undefined when it says nothing new. `mayLink`: no other name is the new owner's .molt name. */
export function applyDomainOutcome(domain: Domain, n: number, outcome: ObservedOutcome, now: Date, mayLink = true): Decision<Domain> | undefined {
  const before = domain.operations.find(operation => operation.n === n)
  const onChain = before && followed(before.onChain ?? unsent, outcome)
  if (!onChain) return undefined
  const operation = withSale({ ...before, onChain })
  const state: Domain = { ...domain, operations: withOperation(domain, operation) }
  return effects[operation.kind](state, operation, outcome, now, mayLink)
}

/** A failure that names no transaction is that of the one which is known. */
const followed = (current: Required<OnChain>, outcome: ObservedOutcome) =>
  followOutcome(current, outcome.is === 'failed' ? { ...outcome, txHash: outcome.txHash ?? current.txHash } : outcome)

/** The ledger follows the chain: a sale is booked while it is in a block, and not once it failed for good, also when the name has changed since. */
function withSale(operation: SentOperation): SentOperation {
  const { sale, onChain } = operation
  return sale === null || onChain.status === 'pending' ? operation : { ...operation, sale: { ...sale, isBooked: onChain.status === 'confirmed' } }
}

type Effect = (domain: Domain, operation: SentOperation, outcome: ObservedOutcome, now: Date, mayLink: boolean) => { state: Domain; events: Draft[] }

const effects: Record<Operation['kind'], Effect> = { register: registered, transfer: transferred, delete: deleted }
const unchanged = (state: Domain) => ({ state, events: [] })

function registered(domain: Domain, operation: SentOperation, { is }: ObservedOutcome, now: Date, mayLink: boolean) {
  const isLatest = lastOperation(domain)?.n === operation.n
  if (is === 'failed') {
    if (domain.status === 'minting' && isLatest) return unchanged(drop(domain, 'failed'))
    return isOwned(domain) && isRegistration(domain, operation) ? reversed(domain, operation, now) : unchanged(domain)
  }
  // a failed registration that an operator retried has its effect all the same, unless somebody else has reserved the name since
  const isReserved = isLatest && (domain.status === 'minting' || domain.status === 'released')
  const isDue = operation.onChain.status === 'confirmed' && (domain.status === 'free' || isReserved)
  if (!isDue) return unchanged(domain)
  const { dueAt: _, freeSlot: present, ...rest } = domain
  const agentId = operation.toAgentId
  // of before the place was part of the operation
  const freeSlot = operation.freeSlot ?? (isLatest ? present : undefined)
  const state: Domain = {
    ...rest,
    ...(freeSlot === undefined ? {} : { freeSlot }),
    status: domainStates.move(domain.status, 'confirmMint'),
    ownerWallet: operation.to,
    agentId,
    linkedAgents: domain.tld === '.molt' && agentId !== null && mayLink ? [agentId] : [],
    formerOwner: null,
  }
  const { sale } = operation
  return {
    state,
    events: [domainActivated.of({ ...facts(state, operation.onChain.txHash, now), pricePaid: sale?.price ?? 0n, free: sale === null })],
  }
}

const isRegistration = ({ operations }: Domain, { n }: Operation): boolean => operations.findLast(({ kind }) => kind === 'register')?.n === n

/** A mint that the chain has dropped for good: nobody owns the name, and nobody paid for it. */
function reversed(domain: Domain, operation: Operation, now: Date) {
  const event = domainDeleted.of({ ...facts({ ...domain, linkedAgents: [] }, null, now) })
  const state = withoutRegistration(domain, operation, { free: 'reverseMint', released: 'reverseMintToRest' })
  return { state, events: [event] }
}

function transferred(domain: Domain, operation: SentOperation, { is }: ObservedOutcome, now: Date, mayLink: boolean) {
  const isLatest = lastOperation(domain)?.n === operation.n
  if (operation.onChain.status === 'confirmed' && domain.status === 'transferring' && isLatest) {
    const state = withOwner({ ...domain, status: domainStates.move(domain.status, 'confirmTransfer') }, operation.to!, operation.toAgentId, mayLink)
    return { state, events: [transferEvent(domain, state, operation.onChain.txHash, now)] }
  }
  if (is !== 'failed' || !isLatest) return unchanged(domain)
  if (domain.status === 'transferring')
    return unchanged({ ...domain, status: domainStates.move(domain.status, 'failTransfer'), linkedAgents: linkedOfPresent(domain, operation) })
  // it was confirmed, and the chain has dropped it
  if (domain.status !== 'active' || domain.ownerWallet !== operation.to) return unchanged(domain)
  const state = withOwner(domain, operation.from!, operation.fromAgentId, operation.linkedBefore.length > 0 && mayLink)
  return { state, events: [transferEvent(domain, state, null, now)] }
}

/** The owner may have sent the token elsewhere meanwhile. */
const linkedOfPresent = (domain: Domain, { from, linkedBefore, toAgentId }: Operation): readonly string[] =>
  domain.ownerWallet === from ? linkedBefore : domain.linkedAgents.filter(agentId => agentId === domain.agentId && agentId !== toAgentId)

function deleted(domain: Domain, operation: SentOperation, { is }: ObservedOutcome, now: Date, mayLink: boolean) {
  if (lastOperation(domain)?.n !== operation.n) return unchanged(domain)
  if (operation.onChain.status === 'confirmed' && domain.status === 'burning') {
    const state: Domain = {
      ...domain,
      status: domainStates.move(domain.status, 'confirmBurn'),
      linkedAgents: [],
      formerOwner: operation.from,
      dueAt: new Date(now.getTime() + restMs),
    }
    return { state, events: [domainDeleted.of(facts(state, operation.onChain.txHash, now))] }
  }
  if (is !== 'failed') return unchanged(domain)
  if (domain.status === 'burning') return unchanged({ ...domain, status: domainStates.move(domain.status, 'failBurn') })
  if (domain.status !== 'released') return unchanged(domain)
  const { dueAt: _, ...rest } = domain
  const linkedAgents = mayLink ? operation.linkedBefore : []
  const state: Domain = { ...rest, status: domainStates.move(domain.status, 'reverseBurn'), linkedAgents, formerOwner: null }
  return { state, events: [domainSynced.of(facts(state, null, now))] }
}

/** The name with another owner. */
export function withOwner(domain: Domain, wallet: string, agentId: string | null, mayLink: boolean): Domain {
  return { ...domain, ownerWallet: wallet, agentId, linkedAgents: domain.tld === '.molt' && agentId !== null && mayLink ? [agentId] : [] }
}

export const transferEvent = (before: Domain, after: Domain, txHash: string | null, now: Date): Draft =>
  domainTransferred.of({ ...facts(after, txHash, now), fromAgentId: before.agentId, fromWallet: before.ownerWallet! })

/** What every event about a name says. */
export const facts = (domain: Domain, txHash: string | null, now: Date) => ({
  domainId: domain.id,
  fullDomain: domain.fullDomain,
  tld: domain.tld,
  ownerWallet: domain.ownerWallet!,
  agentId: domain.agentId,
  moltDomain: isPrimary(domain) ? domain.fullDomain : null,
  chain: domain.chain,
  tokenId: domain.tokenId,
  txHash,
  at: now.toISOString(),
})
