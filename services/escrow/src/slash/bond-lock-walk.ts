import { eachDue, endlessWalk, type Job } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Bond } from '../bond/bond.ts'
import { knowsGig, readGig } from '../escrow/gig-row.ts'
import type { Parts } from '../parts.ts'
import { closeBondLock } from './close-bond-lock.ts'

const everyMs = 60_000
/** Bonds a minute whose locks are examined. */
const walked = 20

/** Goes round the bonds that have a lock, a few a minute: one whose gig was decided, or has ended, without a message is found on the way. */
export function bondLockWalk(parts: Parts): Job {
  const next = endlessWalk(parts.bonds, walked, { filter: { 'locks.stage': 'locked' }, now: () => parts.clock.now().getTime() })
  return { name: 'bond locks of decided gigs', everyMs, run: async () => eachDue(parts.log, await next(), bond => closeLocks(parts, bond)) }
}

async function closeLocks(parts: Parts, { id, locks }: Stored<Bond>): Promise<void> {
  // without an assignment the lock has a timer of its own
  for (const { gigId } of locks.filter(({ stage, askAt }) => stage === 'locked' && askAt === null)) {
    const escrow = await parts.escrows.get(gigId)
    // a gig without escrow is over by its cancellation, too
    if (!escrow || !knowsGig(escrow)) await readGig(parts, gigId)
    await closeBondLock(parts, gigId, id)
  }
}
