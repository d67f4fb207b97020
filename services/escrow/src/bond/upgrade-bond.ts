import { type OnChain, sentOnChain } from '@carapace/chain'
import type { Bond, BondLock, Done, Move } from './bond.ts'

/** Before `onChain` was one field, a lock had parts of it for each of its two commands, and what was done the number of its last outcome. */
type OldLock = Omit<BondLock, 'onChain' | 'unlockOnChain'> &
  Partial<Pick<OnChain, 'txHash' | 'blockNumber'>> & { lockSeq?: number; unlockSeq?: number; unlockRound?: number }
type OldDone = Done & { seq?: number }
type Status = OnChain['status']

/** A stored bond in the present form. */
export function upgradeBond<B extends Bond>(bond: B): B {
  const isOld = [...bond.locks, ...bond.moves].some(({ onChain }) => !onChain) || bond.done.some(done => 'seq' in done)
  if (!isOld) return bond
  return {
    ...bond,
    locks: bond.locks.map(lock => upgradeLock(lock, lock.stage === 'locking' ? 'pending' : 'confirmed', lock.retryAt ? 'failed' : 'pending')),
    moves: bond.moves.map(move => upgradeMove(move, 'pending')),
    done: bond.done.map(upgradeDone),
  }
}

function upgradeLock(lock: BondLock, status: Status, unlock: Status): BondLock {
  if (lock.onChain) return lock
  const { lockSeq = 0, unlockSeq = 0, unlockRound = 0, txHash = null, blockNumber = null, ...rest } = lock as OldLock
  return {
    ...rest,
    onChain: { ...sentOnChain, status, txHash, blockNumber, seq: lockSeq },
    unlockOnChain: rest.unlockId === null ? null : { ...sentOnChain, status: unlock, round: unlockRound, seq: unlockSeq },
  }
}

const upgradeMove = (move: Move, status: Status, seq = 0): Move => (move.onChain ? move : { ...move, onChain: { ...sentOnChain, status, seq } })

function upgradeDone(done: OldDone): Done {
  const { seq, ...rest } = done
  if ('move' in rest) return { ...rest, move: upgradeMove(rest.move, 'confirmed', seq) }
  if ('failedMove' in rest) return { ...rest, failedMove: upgradeMove(rest.failedMove, 'failed', seq) }
  if ('unlocked' in rest) {
    const unlocked = upgradeLock(rest.unlocked, 'confirmed', 'confirmed')
    const { unlockOnChain } = unlocked
    return { ...rest, unlocked: unlockOnChain ? { ...unlocked, unlockOnChain: { ...unlockOnChain, seq: seq ?? unlockOnChain.seq } } : unlocked }
  }
  const failedLock = upgradeLock(rest.failedLock, 'failed', rest.failedLock.retryAt ? 'failed' : 'pending')
  return { ...rest, failedLock: { ...failedLock, onChain: { ...failedLock.onChain, seq: seq ?? failedLock.onChain.seq } } }
}
