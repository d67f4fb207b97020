import { type RefusalExtras, refuse, usd } from '@carapace/api'
import { amountOf, least } from '../amounts.ts'
import type { Bond, BondLock, Move } from './bond.ts'

/** Takes an amount of the free part. @throws INVALID_STATE with what is available */
export function takeFree(bond: Bond, amount: bigint): Bond {
  if (amount > bond.free)
    refuse(
      'INVALID_STATE',
      { available: usd(bond.free) },
      { message: `Only ${usd(bond.free)} USDC of the bond is free`, ...retryableWhileGrowing(bond) },
    )
  return { ...bond, free: bond.free - amount }
}

/** Extras of a refusal for too little free bond: retryable while a deposit is under way or a lock is being undone. */
export function retryableWhileGrowing({ moves, locks }: Bond): Pick<RefusalExtras, 'retryable'> {
  return moves.some(({ type }) => type === 'DEPOSIT') || locks.some(({ isOver }) => isOver) ? { retryable: true } : {}
}

/** Takes an amount out of the locks, that of `first` before others, then out of the free part. */
export function takeAny(bond: Bond, amount: bigint, first: string | null): { bond: Bond; taken: Move['taken'] } {
  let left = amount
  const taken: Move['taken'] = []
  const order = [...bond.locks].sort((a, b) => Number(b.gigId === first) - Number(a.gigId === first))
  for (const { gigId, amount: held } of order) {
    const part = least(held, left)
    if (part > 0n) taken.push({ gigId, amount: part })
    left -= part
  }
  return { bond: { ...reduceLocks(bond, taken, -1n), free: bond.free - left }, taken }
}

/** Gives back what a slash has taken; `locked` of it goes into locks that are still there, the rest is free. */
export function giveBack(bond: Bond, { amount, taken }: Pick<Move, 'amount' | 'taken'>): { bond: Bond; locked: bigint } {
  const fromFree = amount - amountOf(taken)
  return {
    bond: reduceLocks({ ...bond, free: bond.free + fromFree }, taken, 1n),
    locked: amountOf(taken.filter(({ gigId }) => !isGone(bond, gigId))),
  }
}

/** Takes (-1) from locks or gives back (1); what was of a lock that is gone meanwhile goes to the free part. */
export function reduceLocks(bond: Bond, taken: Move['taken'], sign: 1n | -1n): Bond {
  const gone = amountOf(taken.filter(({ gigId }) => isGone(bond, gigId)))
  const held = (lock: BondLock): BondLock => ({
    ...lock,
    amount: lock.amount + sign * amountOf(taken.filter(({ gigId }) => gigId === lock.gigId)),
  })
  // should the unlock be undone, the contract holds the lock with what is given back
  const done = bond.done.map(known =>
    'unlocked' in known && isGone(bond, known.unlocked.gigId) ? { ...known, unlocked: held(known.unlocked) } : known,
  )
  return { ...bond, free: bond.free + sign * gone, locks: bond.locks.map(held), done }
}

const isGone = ({ locks }: Bond, gigId: string): boolean => !locks.some(lock => lock.gigId === gigId)
