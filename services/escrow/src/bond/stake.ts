import { type RefusalExtras, refuse, usd } from '@carapace/api'
import { amountOf, least } from '../amounts.ts'
import type { Bond, BondLock, Move } from './bond.ts'

/** Reserves an amount of the free part. @throws INVALID_STATE with what is available */
export function reserveFree(bond: Bond, amount: bigint): Bond {
  if (amount > bond.free)
    refuse(
      'INVALID_STATE',
      { available: usd(bond.free) },
      { message: `Only ${usd(bond.free)} USDC of the bond is free`, ...retryableWhileGrowing(bond) },
    )
  return { ...bond, free: bond.free - amount }
}

/** Extras of a refusal for too little free bond: retryable while a deposit is under way or a lock is being released. */
export function retryableWhileGrowing({ moves, locks }: Bond): Pick<RefusalExtras, 'retryable'> {
  return moves.some(({ type }) => type === 'DEPOSIT') || locks.some(({ isOver }) => isOver) ? { retryable: true } : {}
}

/** Reserves an amount of the locks, that of `first` before others, then out of the free part. */
export function reserveForSlash(bond: Bond, amount: bigint, first: string | null): { bond: Bond; reductions: Move['taken'] } {
  let left = amount
  const reductions: Move['taken'] = []
  const order = [...bond.locks].sort((a, b) => Number(b.gigId === first) - Number(a.gigId === first))
  for (const { gigId, amount: held } of order) {
    const part = least(held, left)
    // a slash that was carried out after its failure may have taken more than is left here
    if (part <= 0n) continue
    reductions.push({ gigId, amount: part })
    left -= part
  }
  return { bond: { ...reduceLocks(bond, reductions, -1n), free: bond.free - left }, reductions }
}

/** Restores what a slash has reserved: what goes into locks that still exist, and the rest, which is free. */
export const restoreStake = (bond: Bond, { amount, taken: reductions }: Pick<Move, 'amount' | 'taken'>): Bond =>
  reduceLocks({ ...bond, free: bond.free + amount - amountOf(reductions) }, reductions, 1n)

/** Reduces locks (-1) or restores them (1); what was of a lock that has ended meanwhile goes to the free part. */
export function reduceLocks(bond: Bond, reductions: Move['taken'], sign: 1n | -1n): Bond {
  const unlocked = amountOf(reductions.filter(({ gigId }) => isUnlocked(bond, gigId)))
  const held = (lock: BondLock): BondLock => ({
    ...lock,
    amount: lock.amount + sign * amountOf(reductions.filter(({ gigId }) => gigId === lock.gigId)),
  })
  // should the unlock be reversed, or the lock be made after its failure, the contract holds it with what is restored
  const done = bond.done.map(other => {
    if ('unlocked' in other && isUnlocked(bond, other.unlocked.gigId)) return { ...other, unlocked: held(other.unlocked) }
    return 'failedLock' in other && isUnlocked(bond, other.failedLock.gigId) ? { ...other, failedLock: held(other.failedLock) } : other
  })
  return { ...bond, free: bond.free + sign * unlocked, locks: bond.locks.map(held), done }
}

export const isUnlocked = ({ locks }: Bond, gigId: string): boolean => !locks.some(lock => lock.gigId === gigId)
