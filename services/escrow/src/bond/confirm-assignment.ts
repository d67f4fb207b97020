import { type Bond, withLock } from './bond.ts'
import { type BondDecision, bondDecision } from './bond-decision.ts'

/** Gigs of locks for which no assignment came in time: the marketplace decides whether they are used. */
export const unassignedGigs = ({ locks }: Pick<Bond, 'locks'>, now: Date): string[] =>
  locks.filter(({ askAt }) => askAt !== null && askAt <= now).map(({ gigId }) => gigId)

/**
 * Stored before the marketplace is queried: its answer that the lock is not used gives the acceptance up, and one that is made after that answer must not
 * find this lock. Undefined where that is stored.
 */
export function queryAssignment(bond: Bond, gigId: string): BondDecision | undefined {
  const lock = bond.locks.find(held => held.gigId === gigId)
  return lock?.askAt && !lock.isQueried ? bondDecision(withLock(bond, gigId, { isQueried: true })) : undefined
}

/** The lock is used by its gig. Undefined where that is known. */
export function confirmAssignment(bond: Bond, gigId: string): BondDecision | undefined {
  const lock = bond.locks.find(held => held.gigId === gigId)
  return lock?.askAt ? bondDecision(withLock(bond, gigId, { askAt: null, isQueried: false })) : undefined
}
