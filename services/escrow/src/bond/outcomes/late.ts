import { amountOf } from '../../amounts.ts'
import type { Bond, BondLock, Move } from '../bond.ts'
import { bondLockStates } from '../bond-lock-states.ts'
import { reduceLocks } from '../stake.ts'

/**
 * Sets aside again what a failed command had given back: the chain carried it out after all, and the stake may have other uses here. The free part may fall
 * below zero until what was built on it has failed as well; the caller waits for that.
 */
export function reserveAgain(bond: Bond, { type, amount, taken, slashId }: Move): Bond {
  if (type === 'DEPOSIT') return bond
  if (type === 'WITHDRAW') return { ...bond, free: bond.free - amount }
  if (type === 'SLASH_REVERSED') return { ...bond, reversed: [...bond.reversed.filter(other => other !== slashId), slashId!] }
  return reduceLocks({ ...bond, free: bond.free - (amount - amountOf(taken)) }, taken, -1n)
}

/**
 * The contract has a lock whose failure was published. One that was requested in its place meanwhile cannot be made: its reservation serves. Without
 * one, nobody needs the lock any more: it is booked to be released.
 * @param failed with the outcome by which it is late
 * @returns undefined while another lock of the gig is on the bond
 */
export function lockAgain(bond: Bond, failed: BondLock): { bond: Bond; lock: BondLock; replaced?: BondLock } | undefined {
  const { gigId, amount, lockId, onChain } = failed
  const lateSeq = onChain.seq
  const present = bond.locks.find(lock => lock.gigId === gigId)
  if (present) {
    if (present.stage !== 'locking' || present.amount !== amount) return undefined
    const lock: BondLock = { ...present, lockId, onChain, lateSeq }
    return { bond: { ...bond, locks: bond.locks.map(held => (held === present ? lock : held)) }, lock, replaced: present }
  }
  const stage = bondLockStates.move(failed.stage, 'reverseFailure')
  const lock: BondLock = { ...failed, lateSeq, stage, isOver: true, askAt: null, retryAt: null }
  return { bond: { ...bond, free: bond.free - amount, locks: [...bond.locks, lock] }, lock }
}
