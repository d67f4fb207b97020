import { type Chain, type Draft, domainActivated, domainDeleted, domainSynced, domainTransferred } from '@carapace/api'
import { followOutcome, type ObservedOutcome, type OnChain } from '@carapace/chain'
import type { Decision } from '@carapace/store'
import { type Domain, hasFailed, isOwned, isPrimary, lastOperation, type Operation } from './domain.ts'
import { onNetwork } from './registry.ts'
import { drop, restMs, unsent, withOperation, withoutRegistration } from './reservation.ts'
import { domainStates } from './states.ts'

type SentOperation = Operation & { onChain: Required<OnChain> }

/** Whose token a deletion has burnt; the agent of that wallet. */
export interface Burnt {
  wallet: string
  agentId: string | null
}

/** With the network that it is of, and of a deletion with whose token its logs show as burnt. */
type Outcome = ObservedOutcome & { network?: Chain; burnt?: Burnt | undefined }

/** What an outcome means for a name; undefined when it says nothing new. `mayLink`: no other name is the new owner's .molt name. */
export function applyDomainOutcome(domain: Domain, n: number, outcome: Outcome, now: Date, mayLink = true): Decision<Domain> | undefined {
  const before = domain.operations.find(operation => operation.n === n)
  const onChain = before && followed(before.onChain ?? unsent, outcome)
  if (!onChain) return undefined
  // early registrations do not have their network
  const chain = before.chain ?? (before.kind === 'register' ? outcome.network : undefined)
  const operation = withSale({ ...before, ...(chain === undefined ? {} : { chain }), onChain })
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

type Effect = (domain: Domain, operation: SentOperation, outcome: Outcome, now: Date, mayLink: boolean) => { state: Domain; events: Draft[] }

const effects: Record<Operation['kind'], Effect> = { register: registered, transfer: transferred, delete: deleted }
const unchanged = (state: Domain) => ({ state, events: [] })

function registered(domain: Domain, operation: SentOperation, { is }: ObservedOutcome, now: Date, mayLink: boolean) {
  if (is === 'failed') {
    if (domain.status === 'minting' && lastOperation(domain)?.n === operation.n) return dropped(domain, 'failed', now, mayLink)
    return isOwned(domain) && isOwnedBy(domain, operation) ? reversed(domain, operation, now, mayLink) : unchanged(domain)
  }
  // a failed registration that the chain makes after all has its effect, unless somebody else has reserved the name since
  const isNewest = domain.operations.findLast(other => other.kind !== 'register' || !hasFailed(other))?.n === operation.n
  const isReserved = isNewest && (domain.status === 'minting' || domain.status === 'released')
  const isDue = operation.onChain.status === 'confirmed' && (domain.status === 'free' || isReserved)
  return isDue ? activated(domain, operation, now, mayLink) : unchanged(domain)
}

/** The name is that of a registration which the chain has made. */
function activated(domain: Domain, operation: Operation, now: Date, mayLink: boolean): { state: Domain; events: Draft[] } {
  const { dueAt: _, freeSlot: present, ...rest } = onNetwork(domain, operation.chain)
  const agentId = operation.toAgentId
  // of before the place was part of the operation
  const freeSlot = operation.freeSlot ?? (lastOperation(domain)?.n === operation.n ? present : undefined)
  const state: Domain = {
    ...rest,
    ...(freeSlot === undefined ? {} : { freeSlot }),
    status: domainStates.move(domain.status, 'confirmMint'),
    ownerWallet: operation.to,
    agentId,
    linkedAgents: domain.tld === '.molt' && agentId !== null && mayLink ? [agentId] : [],
    formerOwner: null,
  }
  const { sale, onChain } = operation
  return {
    state,
    events: [domainActivated.of({ ...facts(state, onChain!.txHash, now), pricePaid: sale?.price ?? 0n, free: sale === null })],
  }
}

/** The last registration ends without a name: treasury refused, or the command failed for good. */
export function dropped(domain: Domain, code: string, now: Date, mayLink: boolean): { state: Domain; events: Draft[] } {
  const state = drop(domain, code)
  const earlier = registrationInForce(state)
  return earlier ? activated(state, earlier, now, mayLink) : unchanged(state)
}

/** A mint that the chain has dropped for good: the payer has its price again, and the name is nobody's, unless the chain has made another one meanwhile. */
function reversed(domain: Domain, operation: Operation, now: Date, mayLink: boolean) {
  const event = domainDeleted.of({ ...facts({ ...domain, linkedAgents: [] }, null, now) })
  const state = withoutRegistration(domain, operation, { free: 'reverseMint', released: 'reverseMintToRest' })
  const other = registrationInForce(state)
  if (!other) return { state, events: [event] }
  const restored = activated(state, other, now, mayLink)
  return { state: restored.state, events: [event, ...restored.events] }
}

/** The newest registration that the chain has made, where no later deletion or transfer has ended it, or may yet. */
function registrationInForce({ operations }: Domain): Operation | undefined {
  const made = operations.findLast(({ kind, onChain }) => kind === 'register' && onChain?.status === 'confirmed')
  const isEnded = operations.some(later => later.kind !== 'register' && later.n > (made?.n ?? 0) && !hasFailed(later))
  return isEnded ? undefined : made
}

/** Whether the name has its owner by this registration, which has failed: by another one if the chain has, or may have, made that. */
function isOwnedBy({ operations, ownerWallet }: Domain, { n, to }: Operation): boolean {
  const deletion = operations.findLast(({ kind, onChain }) => kind === 'delete' && onChain?.status === 'confirmed')?.n ?? 0
  const other = operations.findLast(one => one.kind === 'register' && one.n > deletion && one.n !== n && !hasFailed(one))
  return n > deletion && (!other || (ownerWallet === to && other.to !== to))
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

function deleted(domain: Domain, operation: SentOperation, { is, burnt }: Outcome, now: Date, mayLink: boolean) {
  if (lastOperation(domain)?.n !== operation.n) return unchanged(domain)
  if (operation.onChain.status === 'confirmed' && domain.status === 'burning') {
    // the token may have been sent on just before: who lost it may register the name again
    const state: Domain = {
      ...domain,
      ...(burnt ? { ownerWallet: burnt.wallet, agentId: burnt.agentId } : {}),
      status: domainStates.move(domain.status, 'confirmBurn'),
      linkedAgents: [],
      formerOwner: burnt?.wallet ?? operation.from,
      dueAt: new Date(now.getTime() + restMs),
    }
    return { state, events: [domainDeleted.of(facts(state, operation.onChain.txHash, now))] }
  }
  if (is !== 'failed') return unchanged(domain)
  if (domain.status === 'burning') return unchanged({ ...domain, status: domainStates.move(domain.status, 'failBurn') })
  if (domain.status !== 'released') return unchanged(domain)
  const { dueAt: _, ...rest } = domain
  const linkedAgents = mayLink ? operation.linkedBefore.filter(agentId => agentId === domain.agentId) : []
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
