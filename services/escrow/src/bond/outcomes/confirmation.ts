import { bondDeposited, bondLocked, bondSlashed, bondUnlocked, bondWithdrawn, slashReversed } from '@carapace/api'
import { type Bond, type BondLock, type Move, rowIdOf, withLock, withoutLock, withoutMove, withReversed } from '../bond.ts'
import { type BondDecision, bondDecision } from '../bond-decision.ts'
import { type BondEvent, facts } from '../bond-event.ts'
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

type Confirm = (bond: Bond, move: Move, at: { txHash: string }, now: Date) => BondDecision
/** A command had its effect. */
export const confirmMove: Record<Move['type'], Confirm> = {
  DEPOSIT: (bond, move, { txHash }, now) => {
    const state = { ...withoutMove(bond, move, 'confirm'), free: bond.free + move.amount }
    const event = eventOf(bond, move, txHash)
    return bondDecision(state, {
      events: [bondDeposited.of({ ...facts(state, event, now), from: move.address })],
      history: [event],
    })
  },
  WITHDRAW: (bond, move, { txHash }, now) => {
    const state = withoutMove(bond, move, 'confirm')
    const event = eventOf(bond, move, txHash)
    return bondDecision(state, {
      events: [bondWithdrawn.of({ ...facts(state, event, now), to: move.address })],
      history: [event],
    })
  },
  SLASH: (bond, move, { txHash }, now) => {
    const made = { id: move.id, at: now, isVerdict: move.by === 'swarm', isReversed: false }
    const { id, amount } = move
    // one whose block came back was counted as reversed
    const slashes = [...(bond.slashes ?? []).filter(other => other.id !== id), made]
    const reversed = bond.reversed.filter(other => other !== id)
    const state: Bond = { ...withoutMove(bond, move, 'confirm'), slashed: bond.slashed + amount, slashes, reversed }
    const event = eventOf(bond, move, txHash)
    return bondDecision(state, {
      events: [bondSlashed.of({ ...facts(state, event, now), ...slashFacts(move) })],
      history: [event],
    })
  },
  SLASH_REVERSED: (bond, move, { txHash }, now) => {
    const counted = withReversed(withoutMove(bond, move, 'confirm'), move.slashId, true)
    const state: Bond = { ...counted, free: bond.free + move.amount, slashed: bond.slashed - move.amount }
    const event = eventOf(bond, move, txHash)
    return bondDecision(state, {
      events: [slashReversed.of({ ...facts(state, event, now), ...slashFacts(move) })],
      history: [event],
    })
  },
}

export const slashFacts = ({ slashId, validationId, reason, by }: Move) => ({ slashId: slashId!, validationId, reason: reason ?? '', by })

export function confirmLock(bond: Bond, lock: BondLock, { txHash }: { txHash: string }, now: Date): BondDecision {
  const state = withLock(bond, lock.gigId, { stage: bondLockStates.move(lock.stage, 'confirm') })
  const event = lockEvent(bond, lock, rowIdOf(lock.lockId, lock), 'LOCK', txHash)
  return bondDecision(state, { events: [bondLocked.of({ ...facts(state, event, now), gigId: lock.gigId })], history: [event] })
}

export function confirmUnlock(bond: Bond, lock: BondLock, eventId: string, txHash: string, now: Date): BondDecision {
  const state: Bond = { ...withoutLock(bond, lock, 'confirmUnlock'), free: bond.free + lock.amount }
  const event = lockEvent(bond, lock, eventId, 'UNLOCK', txHash)
  return bondDecision(state, {
    events: [bondUnlocked.of({ ...facts(state, event, now), gigId: lock.gigId, clean: lock.isClean })],
    history: [event],
  })
}
