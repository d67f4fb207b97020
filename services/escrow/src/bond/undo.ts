import { bondDeposited, bondLocked, bondLockFailed, bondSlashed, bondUnlocked, bondWithdrawn, slashReversed } from '@carapace/api'
import { account } from '../ledger.ts'
import { type Bond, type BondLock, type Move, withLock, withReversed } from './bond.ts'
import { type BondEvent, depositSource, facts, type Outcome, outcome, posting, slashFacts } from './outcome.ts'
import { requestLock, unlockFailed } from './request.ts'
import { giveBack } from './take.ts'

const reason = 'Undone: its block was reorganised away, then it failed'

/** The row that balances the one of an effect that is undone: what was told stays, and its contrary follows. */
const contrary = (bond: Bond, { id, amount, gigId }: Pick<Move, 'id' | 'amount' | 'gigId'>, eventType: BondEvent['eventType']): BondEvent => ({
  id: `${id}-undone`,
  agentId: bond.id,
  eventType,
  amount,
  gigId,
  reason,
  txHash: null,
  operationId: null,
})

type Undo = (bond: Bond, move: Move, now: Date) => Outcome

/**
 * A command that had its effect has failed for good after a reorganisation: stake and books are as if it had never been sent. The free part may
 * fall below zero for a moment here, until what was built on a deposit has failed as well; the caller waits for that.
 */
export const undoMove: Record<Move['type'], Undo> = {
  DEPOSIT: (bond, move, now) => {
    const state = { ...bond, free: bond.free - move.amount }
    const event = contrary(bond, move, 'WITHDRAW')
    return outcome(state, {
      events: [bondWithdrawn.of({ ...facts(state, event, now), to: move.address })],
      postings: [posting(bond.id, `bond-undone:${move.id}`, account.bondFree(bond.id), depositSource(move), move.amount)],
      history: [event],
    })
  },
  WITHDRAW: (bond, move, now) => {
    const state = { ...bond, free: bond.free + move.amount }
    const event = contrary(bond, move, 'DEPOSIT')
    return outcome(state, {
      events: [bondDeposited.of({ ...facts(state, event, now), from: move.address })],
      postings: [posting(bond.id, `bond-undone:${move.id}`, account.outside(move.address), account.bondFree(bond.id), move.amount)],
      history: [event],
    })
  },
  SLASH: (bond, move, now) => {
    const { id, amount } = move
    const { bond: restored, locked } = giveBack(bond, move)
    const state: Bond = { ...withReversed(restored, id, true), slashed: bond.slashed - amount, reversed: [...bond.reversed, id] }
    const event = contrary(bond, move, 'SLASH_REVERSED')
    return outcome(state, {
      events: [slashReversed.of({ ...facts(state, event, now), ...slashFacts(move) })],
      postings: [
        // the pool may have spent it: what it holds of it stays, against a loss
        ...(locked > 0n ? [posting(bond.id, `bond-undone:${id}:locked`, account.poolLoss, account.bondLocked(bond.id), locked)] : []),
        ...(locked < amount ? [posting(bond.id, `bond-undone:${id}:free`, account.poolLoss, account.bondFree(bond.id), amount - locked)] : []),
      ],
      history: [event],
    })
  },
  SLASH_REVERSED: (bond, move, now) => {
    const { id, slashId, amount } = move
    const reversed = bond.reversed.filter(known => known !== slashId)
    const state: Bond = { ...withReversed(bond, slashId, false), free: bond.free - amount, slashed: bond.slashed + amount, reversed }
    const event = contrary(bond, move, 'SLASH')
    return outcome(state, {
      events: [bondSlashed.of({ ...facts(state, event, now), ...slashFacts(move) })],
      postings: [posting(bond.id, `bond-undone:${id}`, account.bondFree(bond.id), account.feePool, amount)],
      history: [event],
    })
  },
}

/** An unlock failed after all: the contract still holds the lock, and a day later it is asked again. */
export function undoUnlock(bond: Bond, lock: BondLock, told: { round: number; seq: number }, now: Date): Outcome {
  const { gigId, amount, unlockId } = lock
  const back: Bond = { ...bond, free: bond.free - amount, locks: [...bond.locks, lock] }
  const { state } = unlockFailed(back, gigId, told, now)
  const event = { ...contrary(bond, { id: unlockId!, amount, gigId }, 'LOCK'), id: `${unlockId}-undone-${told.seq}` }
  const key = `bond-unlock-undone:${lock.lockId}:${told.seq}`
  return outcome(state, {
    events: [bondLocked.of({ ...facts(state, event, now), gigId })],
    postings: amount > 0n ? [posting(bond.id, key, account.bondFree(bond.id), account.bondLocked(bond.id), amount)] : [],
    history: [event],
  })
}

/** An unlock by somebody else is gone with its block: the contract still holds the lock. */
export function undoOutsideUnlock(bond: Bond, lock: BondLock, eventId: string, now: Date): Outcome {
  const { gigId, amount } = lock
  const state: Bond = { ...bond, free: bond.free - amount, locks: [...bond.locks, lock] }
  const event = contrary(bond, { id: eventId, amount, gigId }, 'LOCK')
  const key = `bond-unlock-undone:${lock.lockId}:${eventId}`
  return outcome(state, {
    events: [bondLocked.of({ ...facts(state, event, now), gigId })],
    postings: amount > 0n ? [posting(bond.id, key, account.bondFree(bond.id), account.bondLocked(bond.id), amount)] : [],
    history: [event],
  })
}

/**
 * A lock has failed for good. One that stood and that its gig still needs, which a reorganisation has undone, is asked for once more under
 * `againId`: the stake may be there. That one is given up like any other when it fails too.
 */
export function failLock(bond: Bond, lock: BondLock, code: string, againId: string, now: Date): Outcome {
  const { gigId, amount, lockId, isOver, askAt } = lock
  const stood = lock.stage !== 'locking'
  const free: Bond = { ...bond, free: bond.free + amount, locks: bond.locks.filter(held => held.gigId !== gigId) }
  const again = stood && !isOver && amount > 0n ? requestLock(free, { lockId: againId, gigId, amount, now }) : undefined
  const state = again ? withLock(again.state, gigId, { isAgain: true, askAt }) : free
  const event = contrary(bond, { id: lockId, amount, gigId }, 'UNLOCK')
  const told = { ...facts(state, event, now), gigId }
  // what is undone when its gig is over has come to what it was to come to
  const news =
    stood && isOver
      ? bondUnlocked.of({ ...told, clean: lock.isClean })
      : bondLockFailed.of({ ...told, code, wasLocked: stood || lock.isAgain, isLockedAgain: again !== undefined })
  const back = posting(bond.id, `bond-lock-failed:${lockId}`, account.bondLocked(bond.id), account.bondFree(bond.id), amount)
  return outcome(state, {
    events: [news, ...(again?.events ?? [])],
    postings: [...(amount > 0n ? [back] : []), ...(again?.postings ?? [])],
    history: stood ? [event] : [],
    failures: stood ? [] : [{ id: lockId, agentId: bond.id, eventType: 'LOCK', amount, gigId, reason: null, code }],
  })
}
