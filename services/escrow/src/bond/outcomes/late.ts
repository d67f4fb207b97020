import { amountOf } from '../../amounts.ts'
import { account, type Posting } from '../../ledger.ts'
import { type Bond, type BondLock, entryKeyOf, type Move } from '../bond.ts'
import { posting } from '../bond-change.ts'
import { bondLockStates } from '../bond-lock-states.ts'
import { isUnlocked, reduceLocks } from '../stake.ts'

interface Reserved {
  bond: Bond
  postings: Posting[]
}

/**
 * Sets aside again what a failed command had given back: the chain carried it out after all, and the stake may have other uses here. The free part may fall
 * below zero until what was built on it has failed as well; the caller waits for that.
 */
export function reserveAgain(bond: Bond, move: Move): Reserved {
  const { id, type, amount, taken, slashId } = move
  const into = (from: string, part: bigint, key = ''): Posting[] =>
    part > 0n ? [posting(bond.id, `bond-late:${entryKeyOf(id, move)}${key}`, from, account.transit(id), part)] : []
  if (type === 'DEPOSIT') return { bond, postings: [] }
  if (type === 'WITHDRAW') return { bond: { ...bond, free: bond.free - amount }, postings: into(account.bondFree(bond.id), amount) }
  if (type === 'SLASH_REVERSED') {
    const reversed = [...bond.reversed.filter(known => known !== slashId), slashId!]
    // the pool may have given it away since: what it holds of it remains, against a loss
    return { bond: { ...bond, reversed }, postings: into(account.poolLoss, amount) }
  }
  const locked = amountOf(taken.filter(({ gigId }) => !isUnlocked(bond, gigId)))
  const reduced = reduceLocks({ ...bond, free: bond.free - (amount - amountOf(taken)) }, taken, -1n)
  const postings = [...into(account.bondLocked(bond.id), locked, ':locked'), ...into(account.bondFree(bond.id), amount - locked, ':free')]
  return { bond: reduced, postings }
}

/**
 * The contract has a lock whose failure was published. One that was requested in its place meanwhile cannot be made: its reservation serves. Without
 * one, nobody needs the lock any more: it is booked to be released.
 * @param failed with the outcome by which it is late
 * @returns undefined while another lock of the gig is on the bond
 */
export function lockAgain(bond: Bond, failed: BondLock): (Reserved & { lock: BondLock; replaced?: BondLock }) | undefined {
  const { gigId, amount, lockId, onChain } = failed
  const lateSeq = onChain.seq
  const present = bond.locks.find(lock => lock.gigId === gigId)
  if (present) {
    if (present.stage !== 'locking' || present.amount !== amount) return undefined
    const lock: BondLock = { ...present, lockId, onChain, lateSeq }
    return { bond: { ...bond, locks: bond.locks.map(held => (held === present ? lock : held)) }, postings: [], lock, replaced: present }
  }
  const stage = bondLockStates.move(failed.stage, 'reverseFailure')
  const lock: BondLock = { ...failed, lateSeq, stage, isOver: true, askAt: null, retryAt: null }
  const key = `bond-lock-late:${entryKeyOf(lockId, lock)}`
  return {
    bond: { ...bond, free: bond.free - amount, locks: [...bond.locks, lock] },
    postings: amount > 0n ? [posting(bond.id, key, account.bondFree(bond.id), account.bondLocked(bond.id), amount)] : [],
    lock,
  }
}
