import { type ChainLog, dayMs } from '@carapace/api'
import { onChainKey } from '@carapace/chain'
import { amountOf } from '../amounts.ts'
import { type Bond, type BondLock, type Done, type Move, withLock } from './bond.ts'
import { confirmLock, confirmMove, confirmUnlock, type OnChain, type Outcome, outcome } from './outcome.ts'
import { endLock, failMove, unlockFailed } from './request.ts'
import { reduceLocks } from './take.ts'
import { failLock, undoMove, undoUnlock } from './undo.ts'

/** What the relayer says about the command of a bond event. `seq` rises with everything that it says about one. */
export type Heard = { id: string; round: number; seq: number } & (
  | ({ is: 'confirmed'; logs: readonly ChainLog[] } & OnChain)
  | { is: 'failed'; code: string }
)
type Of<Is extends Heard['is']> = Extract<Heard, { is: Is }>

const rememberedMs = dayMs
/** Every one is written with each change of the bond; no reorganisation reaches as far back as so many commands of one agent. */
const maxRemembered = 256

/**
 * What an outcome means for a bond; undefined when it says nothing new: repeated, older than one that was followed, about something unknown.
 * The free part of the result is below zero when an undone deposit was built upon: what was built has yet to fail.
 */
export function hear(bond: Bond, heard: Heard, now: Date, newId: () => string): Outcome | undefined {
  const { id } = heard
  const move = bond.moves.find(known => known.id === id)
  if (move) return heard.is === 'confirmed' ? moved(bond, move, heard, now) : failMove(bond, move, heard.code)
  const lock = bond.locks.find(({ lockId }) => lockId === id)
  if (lock && heard.seq > lock.lockSeq)
    return heard.is === 'confirmed' ? locked(bond, lock, heard, now, newId) : failLock(bond, lock, heard.code, newId(), now)
  const unlocking = bond.locks.find(({ unlockId }) => unlockId === id)
  if (unlocking && heard.seq > unlocking.unlockSeq) return unlocked(bond, unlocking, heard, now)
  return again(bond, heard, now)
}

/** Adds what was done to what a reorganisation may still reverse. */
export const remember = (made: Outcome, done: Done): Outcome => {
  const after = done.at.getTime() - rememberedMs
  const recent = made.state.done.filter(({ at }) => at.getTime() > after)
  return { ...made, state: { ...made.state, done: [...recent, done].slice(-maxRemembered) } }
}

function moved(bond: Bond, move: Move, heard: Of<'confirmed'>, now: Date): Outcome {
  const taken = move.type === 'SLASH' ? asTaken(bond, move, heard.logs) : { bond, move }
  return remember(confirmMove[move.type](taken.bond, move, heard, now), { id: move.id, seq: heard.seq, at: now, move: taken.move })
}

/** The contract walks the locks in its own order: what it says it took from which is what counts. */
function asTaken(bond: Bond, move: Move, logs: readonly ChainLog[]): { bond: Bond; move: Move } {
  const actual = logs
    .filter(({ event, args }) => event === 'BondLockReduced' && args.agent === bond.wallet)
    .flatMap(({ args }) =>
      bond.locks.filter(({ gigId }) => onChainKey(gigId) === args.gigId).map(({ gigId }) => ({ gigId, amount: BigInt(String(args.amount)) })),
    )
  if (amountOf(actual) !== amountOf(move.taken)) return { bond, move }
  return { bond: reduceLocks(reduceLocks(bond, move.taken, 1n), actual, -1n), move: { ...move, taken: actual } }
}

function locked(bond: Bond, lock: BondLock, heard: Of<'confirmed'>, now: Date, newId: () => string): Outcome {
  const known = withLock(bond, lock.gigId, { lockSeq: heard.seq })
  if (lock.stage !== 'locking') return outcome(known)
  const made = confirmLock(known, lock, heard, now)
  const ended = lock.isOver ? endLock(made.state, lock.gigId, newId()) : undefined
  return ended ? { ...ended, events: [...made.events, ...ended.events], history: made.history } : made
}

function unlocked(bond: Bond, lock: BondLock, heard: Heard, now: Date): Outcome | undefined {
  if (heard.is === 'failed') return heard.round >= lock.unlockRound ? unlockFailed(bond, lock.gigId, heard, now) : undefined
  const ended = { ...lock, unlockSeq: heard.seq, retryAt: null }
  // one that failed or was undone before is another row of the history
  const eventId = lock.unlockSeq === 0 ? heard.id : `${heard.id}-${heard.seq}`
  return remember(confirmUnlock(bond, ended, eventId, heard.txHash, now), { id: heard.id, seq: heard.seq, at: now, unlocked: ended })
}

/** An outcome of what is done: the same in another block, or its failure after a reorganisation. */
function again(bond: Bond, heard: Heard, now: Date): Outcome | undefined {
  const done = bond.done.find(({ id }) => id === heard.id)
  const without = (gone: Done): Bond => ({ ...bond, done: bond.done.filter(known => known !== gone) })
  if (!done) {
    // the lock of an unlock that is done: without it there is nothing to unlock again
    const over = bond.done.find(known => 'unlocked' in known && known.unlocked.lockId === heard.id && heard.seq > known.unlocked.lockSeq)
    return over && heard.is === 'failed' ? outcome(without(over)) : undefined
  }
  if (heard.seq <= done.seq) return undefined
  if (heard.is === 'confirmed') return outcome({ ...bond, done: bond.done.map(known => (known === done ? { ...done, seq: heard.seq } : known)) })
  if ('move' in done) return undoMove[done.move.type](without(done), done.move, now)
  return undoUnlock(without(done), done.unlocked, heard, now)
}
