import { bondDeposited, bondLocked, bondSlashed, bondUnlocked, bondWithdrawn, slashReversed } from '@carapace/api'
import { account } from '../../ledger.ts'
import { type Bond, type BondLock, entryKeyOf, type Move, rowIdOf, withLock, withoutLock, withoutMove, withReversed } from '../bond.ts'
import { type BondChange, type BondEvent, bondChange, facts, posting } from '../bond-change.ts'
import { bondLockStates } from '../bond-lock-states.ts'

const eventOf = (bond: Bond, { type, amount, gigId, reason, operationId, ...move }: Move, txHash: string): BondEvent => ({
  id: rowIdOf(move.id, move),
  agentId: bond.id,
  eventType: type,
  amount,
  gigId,
  reason,
  txHash,
  operationId,
})
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

type Confirm = (bond: Bond, move: Move, at: { txHash: string }, now: Date) => BondChange
/** A command had its effect: money that was in transit arrives. */
export const confirmMove: Record<Move['type'], Confirm> = {
  DEPOSIT: (bond, move, { txHash }, now) => {
    const state = { ...withoutMove(bond, move, 'confirm'), free: bond.free + move.amount }
    const event = eventOf(bond, move, txHash)
    return bondChange(state, {
      events: [bondDeposited.of({ ...facts(state, event, now), from: move.address })],
      postings: [posting(bond.id, `bond-deposit:${entryKeyOf(move.id, move)}`, depositSource(move), account.bondFree(bond.id), move.amount, txHash)],
      history: [event],
    })
  },
  WITHDRAW: (bond, move, { txHash }, now) => {
    const state = withoutMove(bond, move, 'confirm')
    const event = eventOf(bond, move, txHash)
    return bondChange(state, {
      events: [bondWithdrawn.of({ ...facts(state, event, now), to: move.address })],
      postings: [
        posting(bond.id, `bond-withdrawn:${entryKeyOf(move.id, move)}`, account.transit(move.id), account.outside(move.address), move.amount, txHash),
      ],
      history: [event],
    })
  },
  SLASH: (bond, move, { txHash }, now) => {
    const made = { id: move.id, at: now, isVerdict: move.by === 'swarm', isReversed: false }
    const { id, amount } = move
    // one whose block came back was counted as reversed
    const slashes = [...(bond.slashes ?? []).filter(known => known.id !== id), made]
    const reversed = bond.reversed.filter(known => known !== id)
    const state: Bond = { ...withoutMove(bond, move, 'confirm'), slashed: bond.slashed + amount, slashes, reversed }
    const event = eventOf(bond, move, txHash)
    return bondChange(state, {
      events: [bondSlashed.of({ ...facts(state, event, now), ...slashFacts(move) })],
      postings: [posting(bond.id, `bond-slashed:${entryKeyOf(move.id, move)}`, account.transit(move.id), account.feePool, move.amount, txHash)],
      history: [event],
    })
  },
  SLASH_REVERSED: (bond, move, { txHash }, now) => {
    const counted = withReversed(withoutMove(bond, move, 'confirm'), move.slashId, true)
    const state: Bond = { ...counted, free: bond.free + move.amount, slashed: bond.slashed - move.amount }
    const event = eventOf(bond, move, txHash)
    return bondChange(state, {
      events: [slashReversed.of({ ...facts(state, event, now), ...slashFacts(move) })],
      postings: [
        posting(bond.id, `bond-unslashed:${entryKeyOf(move.id, move)}`, account.transit(move.id), account.bondFree(bond.id), move.amount, txHash),
      ],
      history: [event],
    })
  },
}

export const slashFacts = ({ slashId, validationId, reason, by }: Move) => ({ slashId: slashId!, validationId, reason: reason ?? '', by })

export function confirmLock(bond: Bond, lock: BondLock, { txHash }: { txHash: string }, now: Date): BondChange {
  const state = withLock(bond, lock.gigId, { stage: bondLockStates.move(lock.stage, 'confirm') })
  const event = lockEvent(bond, lock, rowIdOf(lock.lockId, lock), 'LOCK', txHash)
  return bondChange(state, { events: [bondLocked.of({ ...facts(state, event, now), gigId: lock.gigId })], history: [event] })
}

/** @param entry distinguishes the ledger entries of several unlocks of one lock */
export function confirmUnlock(
  bond: Bond,
  lock: BondLock,
  eventId: string,
  txHash: string,
  now: Date,
  entry: string | number = lock.unlockOnChain?.seq ?? 0,
): BondChange {
  const state: Bond = { ...withoutLock(bond, lock, 'confirmUnlock'), free: bond.free + lock.amount }
  const event = lockEvent(bond, lock, eventId, 'UNLOCK', txHash)
  return bondChange(state, {
    events: [bondUnlocked.of({ ...facts(state, event, now), gigId: lock.gigId, clean: lock.isClean })],
    // a lock that was slashed to nothing still ends
    postings:
      lock.amount > 0n
        ? [
            posting(
              bond.id,
              `bond-unlocked:${entryKeyOf(lock.lockId, lock)}:${entry}`,
              account.bondLocked(bond.id),
              account.bondFree(bond.id),
              lock.amount,
              txHash,
            ),
          ]
        : [],
    history: [event],
  })
}
