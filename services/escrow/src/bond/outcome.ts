import { bondDeposited, bondLocked, bondSlashed, bondUnlocked, bondWithdrawn, type Draft, slashReversed } from '@carapace/api'
import { account, type Posting, transfer } from '../ledger.ts'
import { type Bond, type BondLock, lockedOf, type Move, settled, statusOf, tierOf, withReversed } from './bond.ts'

/** A row of the history of a bond. */
export interface BondEvent {
  id: string
  agentId: string
  eventType: 'DEPOSIT' | 'WITHDRAW' | 'LOCK' | 'UNLOCK' | 'SLASH' | 'SLASH_REVERSED'
  amount: bigint
  gigId: string | null
  reason: string | null
  txHash: string | null
  operationId: string | null
}

/** A command that failed for good without any effect: what its status URL answers. */
export interface BondFailure {
  id: string
  agentId: string
  eventType: BondEvent['eventType']
  amount: bigint
  gigId: string | null
  reason: string | null
  code: string
}

/** A change of a bond with everything that must be written with it. */
export interface Outcome {
  state: Bond
  events: Draft[]
  postings: Posting[]
  history: BondEvent[]
  failures: BondFailure[]
}
export interface OnChain {
  txHash: string
  blockNumber: number
}

export const outcome = (state: Bond, rest: Partial<Omit<Outcome, 'state'>> = {}): Outcome => ({
  state: settled(state),
  events: [],
  postings: [],
  history: [],
  failures: [],
  ...rest,
})

/** What every event about a bond says: the totals after the change. */
export function facts(bond: Bond, event: BondEvent, now: Date) {
  const { id, chain, free, slashed } = bond
  const totalBonded = free + lockedOf(bond)
  return {
    agentId: id,
    bondEventId: event.id,
    amount: event.amount,
    chain,
    totalBonded,
    availableBond: free,
    lockedBond: lockedOf(bond),
    slashedBond: slashed,
    bondTier: tierOf(totalBonded),
    bondStatus: statusOf(totalBonded),
    gigId: event.gigId,
    txHash: event.txHash,
    changedAt: now.toISOString(),
  }
}

export const posting = (agentId: string, key: string, from: string, to: string, amount: bigint, txHash: string | null = null): Posting => ({
  key,
  ref: { type: 'bond', id: agentId },
  lines: transfer(from, to, amount),
  txHash,
})

const eventOf = (bond: Bond, { id, type, amount, gigId, reason, operationId }: Move, txHash: string): BondEvent => ({
  id,
  agentId: bond.id,
  eventType: type,
  amount,
  gigId,
  reason,
  txHash,
  operationId,
})
const without = (bond: Bond, id: string): Bond => ({ ...bond, moves: bond.moves.filter(move => move.id !== id) })
const lockEvent = (bond: Bond, { gigId, amount }: BondLock, id: string, eventType: 'LOCK' | 'UNLOCK', txHash: string): BondEvent => ({
  id,
  agentId: bond.id,
  eventType,
  amount,
  gigId,
  reason: null,
  txHash,
  operationId: null,
})

/** Where the money of a custodial deposit comes from is treasury's side of the entry. */
export const depositSource = ({ id, isCustodial, address }: Pick<Move, 'id' | 'isCustodial' | 'address'>): string =>
  isCustodial ? account.clearing(`bond.deposit:${id}`) : account.outside(address)

type Confirm = (bond: Bond, move: Move, at: OnChain, now: Date) => Outcome
/** A command had its effect: money that was in transit arrives. */
export const confirmMove: Record<Move['type'], Confirm> = {
  DEPOSIT: (bond, move, { txHash }, now) => {
    const state = { ...without(bond, move.id), free: bond.free + move.amount }
    const event = eventOf(bond, move, txHash)
    return outcome(state, {
      events: [bondDeposited.of({ ...facts(state, event, now), from: move.address })],
      postings: [posting(bond.id, `bond-deposit:${move.id}`, depositSource(move), account.bondFree(bond.id), move.amount, txHash)],
      history: [event],
    })
  },
  WITHDRAW: (bond, move, { txHash }, now) => {
    const state = without(bond, move.id)
    const event = eventOf(bond, move, txHash)
    return outcome(state, {
      events: [bondWithdrawn.of({ ...facts(state, event, now), to: move.address })],
      postings: [posting(bond.id, `bond-withdrawn:${move.id}`, account.transit(move.id), account.outside(move.address), move.amount, txHash)],
      history: [event],
    })
  },
  SLASH: (bond, move, { txHash }, now) => {
    const made = { id: move.id, at: now, isVerdict: move.by === 'swarm', isReversed: false }
    const state: Bond = { ...without(bond, move.id), slashed: bond.slashed + move.amount, slashes: [...(bond.slashes ?? []), made] }
    const event = eventOf(bond, move, txHash)
    return outcome(state, {
      events: [bondSlashed.of({ ...facts(state, event, now), ...slashFacts(move) })],
      postings: [posting(bond.id, `bond-slashed:${move.id}`, account.transit(move.id), account.feePool, move.amount, txHash)],
      history: [event],
    })
  },
  SLASH_REVERSED: (bond, move, { txHash }, now) => {
    const counted = withReversed(without(bond, move.id), move.slashId, true)
    const state: Bond = { ...counted, free: bond.free + move.amount, slashed: bond.slashed - move.amount }
    const event = eventOf(bond, move, txHash)
    return outcome(state, {
      events: [slashReversed.of({ ...facts(state, event, now), ...slashFacts(move) })],
      postings: [posting(bond.id, `bond-unslashed:${move.id}`, account.transit(move.id), account.bondFree(bond.id), move.amount, txHash)],
      history: [event],
    })
  },
}
export const slashFacts = ({ slashId, validationId, reason, by }: Move) => ({ slashId: slashId!, validationId, reason: reason ?? '', by })

export function confirmLock(bond: Bond, lock: BondLock, { txHash, blockNumber }: OnChain, now: Date): Outcome {
  const at = { txHash, blockNumber }
  const state: Bond = { ...bond, locks: bond.locks.map(held => (held.gigId === lock.gigId ? { ...held, stage: 'locked', ...at } : held)) }
  const event = lockEvent(bond, lock, lock.lockId, 'LOCK', at.txHash)
  return outcome(state, { events: [bondLocked.of({ ...facts(state, event, now), gigId: lock.gigId })], history: [event] })
}

/** @param entry tells the ledger entries of several unlocks of one lock apart */
export function confirmUnlock(
  bond: Bond,
  lock: BondLock,
  eventId: string,
  txHash: string,
  now: Date,
  entry: string | number = lock.unlockSeq,
): Outcome {
  const state: Bond = { ...bond, free: bond.free + lock.amount, locks: bond.locks.filter(({ gigId }) => gigId !== lock.gigId) }
  const event = lockEvent(bond, lock, eventId, 'UNLOCK', txHash)
  return outcome(state, {
    events: [bondUnlocked.of({ ...facts(state, event, now), gigId: lock.gigId, clean: lock.isClean })],
    // a lock that was slashed to nothing still ends
    postings:
      lock.amount > 0n
        ? [posting(bond.id, `bond-unlocked:${lock.lockId}:${entry}`, account.bondLocked(bond.id), account.bondFree(bond.id), lock.amount, txHash)]
        : [],
    history: [event],
  })
}
