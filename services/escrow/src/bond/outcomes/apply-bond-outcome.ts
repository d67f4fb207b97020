import type { ChainLog } from '@carapace/api'
import { followOutcome, type OnChain, observedOutcome, onChainKey } from '@carapace/chain'
import { amountOf } from '../../amounts.ts'
import { type Bond, type BondLock, type Done, type Move, rememberedMs, withLock } from '../bond.ts'
import { type BondDecision, bondDecision } from '../bond-decision.ts'
import { bondLockStates } from '../bond-lock-states.ts'
import { bondMoveStates } from '../bond-move-states.ts'
import { endLock, unlockFailed } from '../requests/end-lock.ts'
import { failMove } from '../requests/fail-move.ts'
import { isUnlocked, reduceLocks } from '../stake.ts'
import { confirmLock, confirmMove, confirmUnlock } from './confirmation.ts'
import { lockAgain, reserveAgain } from './late.ts'
import { failLock, reverseMove, reverseUnlock } from './reversal.ts'

/** What the relayer says about the command of a bond event. `seq` rises with everything that it says about one. */
export type BondOutcome = { id: string; round: number; seq: number } & (
  | { is: 'confirmed'; logs: readonly ChainLog[]; txHash: string; blockNumber: number }
  | { is: 'failed'; code: string; message: string }
)
type Of<Is extends BondOutcome['is']> = Extract<BondOutcome, { is: Is }>

/** Every one is written with each change of the bond. An agent writes 30 times a minute: no reorganisation reaches as far back as so many commands. */
const maxRemembered = 128

/**
 * What an outcome means for a bond; undefined when it says nothing new: repeated, older than one that was followed, about something unknown.
 * The free part of the result is below zero when a reversed deposit was built upon, or a command had its effect after its failure: what was built
 * has yet to fail. `later`: another lock of the gig has yet to end.
 */
export function applyBondOutcome(bond: Bond, outcome: BondOutcome, now: Date, newId: () => string): BondDecision | 'later' | undefined {
  const { id } = outcome
  const move = withOutcome(
    bond.moves.find(open => open.id === id),
    outcome,
  )
  if (move) return outcome.is === 'confirmed' ? confirmedMove(bond, move, outcome, now) : failedMove(bond, move, outcome, now)
  const lock = withOutcome(
    bond.locks.find(({ lockId }) => lockId === id),
    outcome,
  )
  if (lock) return outcome.is === 'confirmed' ? confirmedLock(bond, lock, outcome, now, newId) : failedLock(bond, lock, outcome, now, newId)
  const unlocking = bond.locks.find(({ unlockId }) => unlockId === id)
  const unlockOnChain = after(unlocking?.unlockOnChain, outcome)
  if (unlocking && unlockOnChain) return unlockOutcome(bond, unlocking, unlockOnChain, outcome, now)
  return again(bond, outcome, now, newId)
}

/** What is known on chain after an outcome; undefined when it says nothing new. */
function after(current: Required<OnChain> | null | undefined, outcome: BondOutcome): Required<OnChain> | undefined {
  return current ? followOutcome(current, observedOutcome(outcome)) : undefined
}

function withOutcome<Part extends { onChain: Required<OnChain> }>(part: Part | undefined, outcome: BondOutcome): Part | undefined {
  const onChain = after(part?.onChain, outcome)
  return part && onChain && { ...part, onChain }
}

/** Adds what was done to what a reorganisation may still reverse. */
export const remember = (made: BondDecision, done: Done): BondDecision => {
  const after = done.at.getTime() - rememberedMs
  const recent = made.state.done.filter(({ at }) => at.getTime() > after)
  return { ...made, state: { ...made.state, done: [...recent, done].slice(-maxRemembered) } }
}

function failedMove(bond: Bond, move: Move, { code }: Of<'failed'>, now: Date): BondDecision {
  return remember(failMove(bond, move, code), { id: move.id, at: now, failedMove: { ...move, stage: bondMoveStates.move(move.stage, 'fail') } })
}

function failedLock(bond: Bond, lock: BondLock, { code }: Of<'failed'>, now: Date, newId: () => string): BondDecision {
  const failed: BondLock = { ...lock, stage: bondLockStates.move(lock.stage, 'fail') }
  return remember(failLock(bond, lock, code, newId(), now), { id: lock.lockId, at: now, failedLock: failed })
}

function confirmedMove(bond: Bond, move: Move, outcome: Of<'confirmed'>, now: Date): BondDecision {
  const actual = move.type === 'SLASH' ? asReduced(bond, move, outcome.logs) : { bond, move }
  return remember(confirmMove[move.type](actual.bond, move, outcome, now), { id: move.id, at: now, move: actual.move })
}

/** The contract walks the locks in its own order: how much it says it slashed of which is what counts. */
function asReduced(bond: Bond, move: Move, logs: readonly ChainLog[]): { bond: Bond; move: Move } {
  const actual = logs
    .filter(({ event, args }) => event === 'BondLockReduced' && args.agent === bond.wallet)
    .flatMap(({ args }) =>
      bond.locks.filter(({ gigId }) => onChainKey(gigId) === args.gigId).map(({ gigId }) => ({ gigId, amount: BigInt(String(args.amount)) })),
    )
  if (amountOf(actual) !== amountOf(move.taken)) return { bond, move }
  return { bond: reduceLocks(reduceLocks(bond, move.taken, 1n), actual, -1n), move: { ...move, taken: actual } }
}

function confirmedLock(bond: Bond, lock: BondLock, outcome: Of<'confirmed'>, now: Date, newId: () => string): BondDecision {
  const placed = withLock(bond, lock.gigId, { onChain: lock.onChain })
  if (lock.stage !== 'locking') return bondDecision(placed)
  const made = confirmLock(placed, lock, outcome, now)
  const ended = lock.isOver ? (endLate(made.state, lock, now) ?? endLock(made.state, lock.gigId, newId())) : undefined
  return ended ? { ...ended, events: [...made.events, ...ended.events], history: made.history } : made
}

/** One that came back after its unlock was sent: that goes out as the next round. */
function endLate(bond: Bond, { gigId, unlockOnChain }: BondLock, now: Date): BondDecision | undefined {
  if (unlockOnChain === null) return undefined
  const stage = bondLockStates.move('locked', 'unlock')
  return bondDecision(withLock(bond, gigId, { stage, retryAt: now, unlockOnChain: { ...unlockOnChain, status: 'failed' } }))
}

function unlockOutcome(bond: Bond, lock: BondLock, unlockOnChain: Required<OnChain>, outcome: BondOutcome, now: Date): BondDecision {
  if (outcome.is === 'failed') return unlockFailed(bond, lock.gigId, unlockOnChain, now)
  const ended = { ...lock, unlockOnChain, retryAt: null }
  // one that failed or was reversed before is another row of the history
  const eventId = lock.unlockOnChain?.seq === 0 ? outcome.id : `${outcome.id}-${outcome.seq}`
  return remember(confirmUnlock(bond, ended, eventId, outcome.txHash, now), { id: outcome.id, at: now, unlocked: ended })
}

/** An outcome of what is done: the same in another block, its failure after a reorganisation, or its effect after a failure. */
function again(bond: Bond, outcome: BondOutcome, now: Date, newId: () => string): BondDecision | 'later' | undefined {
  const done = bond.done.find(({ id }) => id === outcome.id)
  const without = (dropped: Done): Bond => ({ ...bond, done: bond.done.filter(other => other !== dropped) })
  if (!done) return ofEnded(bond, outcome, now)
  const hasFailed = 'failedMove' in done || 'failedLock' in done
  const onChain = after(onChainOf(done), outcome)
  if (!onChain) return undefined
  if (hasFailed === (outcome.is === 'failed'))
    return bondDecision({ ...bond, done: bond.done.map(other => (other === done ? withOnChain(done, onChain) : other)) })
  if ('failedMove' in done) return lateMove(without(done), { ...done.failedMove, onChain }, outcome as Of<'confirmed'>, now)
  if ('failedLock' in done) return lateLock(without(done), { ...done.failedLock, onChain }, outcome as Of<'confirmed'>, now, newId)
  if ('unlocked' in done) return isUnlocked(bond, done.unlocked.gigId) ? reverseUnlock(without(done), done.unlocked, onChain, now) : 'later'
  const reversed: Move = { ...done.move, onChain, stage: bondMoveStates.move('confirmed', 'reverse') }
  return remember(reverseMove[done.move.type](without(done), done.move, now), { id: done.id, at: now, failedMove: reversed })
}

/** Of the command by whose bond event it is found; null where somebody else unlocked. */
function onChainOf(done: Done): Required<OnChain> | null {
  if ('move' in done) return done.move.onChain
  if ('failedMove' in done) return done.failedMove.onChain
  return 'unlocked' in done ? done.unlocked.unlockOnChain : done.failedLock.onChain
}

function withOnChain(done: Done, onChain: Required<OnChain>): Done {
  if ('move' in done) return { ...done, move: { ...done.move, onChain } }
  if ('failedMove' in done) return { ...done, failedMove: { ...done.failedMove, onChain } }
  return 'unlocked' in done
    ? { ...done, unlocked: { ...done.unlocked, unlockOnChain: onChain } }
    : { ...done, failedLock: { ...done.failedLock, onChain } }
}

/** An outcome of the other command of a lock that has ended: of the lock of one that was unlocked, or of the unlock of one that failed. */
function ofEnded(bond: Bond, outcome: BondOutcome, now: Date): BondDecision | undefined {
  const { id, is } = outcome
  const become = (before: Done, after: Done) => bondDecision({ ...bond, done: bond.done.map(other => (other === before ? after : other)) })
  for (const done of bond.done) {
    const lock = 'unlocked' in done && done.unlocked.lockId === id ? withOutcome(done.unlocked, outcome) : undefined
    if (lock && is === 'confirmed') return become(done, { ...done, unlocked: lock })
    if (lock) {
      // without the lock there is nothing to unlock again
      const failed: BondLock = { ...lock, stage: bondLockStates.move(lock.stage, 'fail') }
      return remember(bondDecision({ ...bond, done: bond.done.filter(one => one !== done) }), { id, at: now, failedLock: failed })
    }
    const unlockOnChain = 'failedLock' in done && done.failedLock.unlockId === id ? after(done.failedLock.unlockOnChain, outcome) : undefined
    if ('failedLock' in done && unlockOnChain) return become(done, { ...done, failedLock: { ...done.failedLock, unlockOnChain } })
  }
  return undefined
}

function lateMove(bond: Bond, failed: Move, outcome: Of<'confirmed'>, now: Date): BondDecision {
  const move: Move = { ...failed, lateSeq: outcome.seq }
  return confirmedMove(reserveAgain(bond, move), move, outcome, now)
}

function lateLock(bond: Bond, failed: BondLock, outcome: Of<'confirmed'>, now: Date, newId: () => string): BondDecision | 'later' {
  const reserved = lockAgain(bond, failed)
  if (!reserved) return 'later'
  const { lock, replaced } = reserved
  const made = confirmedLock(reserved.bond, lock, outcome, now, newId)
  if (!replaced) return made
  return remember(made, {
    id: replaced.lockId,
    at: now,
    failedLock: { ...replaced, onChain: { ...replaced.onChain, status: 'failed' }, stage: bondLockStates.move(replaced.stage, 'fail') },
  })
}
