import { bondDeposited, bondLocked, bondLockFailed, bondSlashed, bondUnlocked, bondWithdrawn, slashReversed } from '@carapace/api'
import type { OnChain } from '@carapace/chain'
import { type Bond, type BondLock, type Move, rowIdOf, withLock, withoutLock, withReversed } from '../bond.ts'
import { type BondDecision, bondDecision } from '../bond-decision.ts'
import { type BondEvent, facts } from '../bond-event.ts'
import { bondLockStates } from '../bond-lock-states.ts'
import { unlockFailed } from '../requests/end-lock.ts'
import { requestLock } from '../requests/request-lock.ts'
import { restoreStake } from '../stake.ts'
import { slashFacts } from './confirmation.ts'

const reason = 'Reversed: its block was dropped, then it failed'

/** The row that balances the one of a reversed effect: what was published remains, and its contrary follows. */
const balancingEvent = (
  bond: Bond,
  { amount, gigId, ...of }: Pick<Move, 'id' | 'amount' | 'gigId' | 'lateSeq'>,
  eventType: BondEvent['eventType'],
): BondEvent => ({
  id: `${rowIdOf(of.id, of)}-undone`,
  agentId: bond.id,
  eventType,
  amount,
  gigId,
  reason,
  txHash: null,
  operationId: null,
})

type Reverse = (bond: Bond, move: Move, now: Date) => BondDecision

/**
 * A command that had its effect has failed for good after a reorganisation: stake and books are as if it had never been sent. The free part may
 * fall below zero for a moment here, until what was built on a deposit has failed as well; the caller waits for that.
 */
export const reverseMove: Record<Move['type'], Reverse> = {
  DEPOSIT: (bond, move, now) => {
    const state = { ...bond, free: bond.free - move.amount }
    const event = balancingEvent(bond, move, 'WITHDRAW')
    return bondDecision(state, {
      events: [bondWithdrawn.of({ ...facts(state, event, now), to: move.address })],
      history: [event],
    })
  },
  WITHDRAW: (bond, move, now) => {
    const state = { ...bond, free: bond.free + move.amount }
    const event = balancingEvent(bond, move, 'DEPOSIT')
    return bondDecision(state, {
      events: [bondDeposited.of({ ...facts(state, event, now), from: move.address })],
      history: [event],
    })
  },
  SLASH: (bond, move, now) => {
    const { id, amount } = move
    const state: Bond = { ...withReversed(restoreStake(bond, move), id, true), slashed: bond.slashed - amount, reversed: [...bond.reversed, id] }
    const event = balancingEvent(bond, move, 'SLASH_REVERSED')
    return bondDecision(state, {
      events: [slashReversed.of({ ...facts(state, event, now), ...slashFacts(move) })],
      history: [event],
    })
  },
  SLASH_REVERSED: (bond, move, now) => {
    const { slashId, amount } = move
    const reversed = bond.reversed.filter(other => other !== slashId)
    const state: Bond = { ...withReversed(bond, slashId, false), free: bond.free - amount, slashed: bond.slashed + amount, reversed }
    const event = balancingEvent(bond, move, 'SLASH')
    return bondDecision(state, {
      events: [bondSlashed.of({ ...facts(state, event, now), ...slashFacts(move) })],
      history: [event],
    })
  },
}

const restored = (lock: BondLock, trigger: 'reverseUnlock' | 'reverseOutsideUnlock'): BondLock => ({
  ...lock,
  stage: bondLockStates.move('ended', trigger),
})

/** An unlock failed after all: the contract still holds the lock, and it is sent again minutes later. */
export function reverseUnlock(bond: Bond, lock: BondLock, failure: Required<OnChain>, now: Date): BondDecision {
  const { gigId, amount, unlockId } = lock
  const back: Bond = { ...bond, free: bond.free - amount, locks: [...bond.locks, restored(lock, 'reverseUnlock')] }
  const { state } = unlockFailed(back, gigId, failure, now)
  const event = { ...balancingEvent(bond, { id: unlockId!, amount, gigId }, 'LOCK'), id: `${unlockId}-undone-${failure.seq}` }
  return bondDecision(state, {
    events: [bondLocked.of({ ...facts(state, event, now), gigId })],
    history: [event],
  })
}

/** An unlock by somebody else is dropped with its block: the contract still holds the lock. */
export function reverseOutsideUnlock(bond: Bond, lock: BondLock, eventId: string, now: Date): BondDecision {
  const { gigId, amount } = lock
  const state: Bond = { ...bond, free: bond.free - amount, locks: [...bond.locks, restored(lock, 'reverseOutsideUnlock')] }
  const event = balancingEvent(bond, { id: eventId, amount, gigId }, 'LOCK')
  return bondDecision(state, {
    events: [bondLocked.of({ ...facts(state, event, now), gigId })],
    history: [event],
  })
}

/**
 * A lock has failed for good. One that was confirmed, that its gig still needs and that a reorganisation has reversed, is requested again under
 * `againId`: the stake may be there. That one is abandoned like any other when it fails too.
 */
export function failLock(bond: Bond, lock: BondLock, code: string, againId: string, now: Date): BondDecision {
  const { gigId, amount, lockId, isOver, askAt } = lock
  const wasConfirmed = lock.stage !== 'locking'
  const free: Bond = { ...withoutLock(bond, lock, 'fail'), free: bond.free + amount }
  const again = wasConfirmed && !isOver && amount > 0n ? requestLock(free, { lockId: againId, gigId, amount, now }) : undefined
  const state = again ? withLock(again.state, gigId, { isAgain: true, askAt }) : free
  const event = balancingEvent(bond, { ...lock, id: lockId }, 'UNLOCK')
  const bondFacts = { ...facts(state, event, now), gigId }
  // what is reversed when its gig is over has ended as intended
  const news =
    wasConfirmed && isOver
      ? bondUnlocked.of({ ...bondFacts, clean: lock.isClean })
      : bondLockFailed.of({ ...bondFacts, code, wasLocked: wasConfirmed || lock.isAgain, isLockedAgain: again !== undefined })
  return bondDecision(state, {
    events: [news, ...(again?.events ?? [])],
    history: wasConfirmed ? [event] : [],
    failures: wasConfirmed ? [] : [{ id: lockId, agentId: bond.id, eventType: 'LOCK', amount, gigId, reason: null, code }],
  })
}
