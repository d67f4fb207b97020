import { eachDue, endlessWalk, type Job } from '@carapace/service'
import { closeReclaimed } from './gig.ts'
import type { Parts } from './parts.ts'

const everyMs = 60_000
const page = 100

/**
 * The wallet's owner has registered with a signature, so its former agent spends nothing of it any more: the agent's open gigs are withdrawn, which
 * refunds what their escrows hold. Gigs that are assigned already go on to their end. A repetition finds nothing open.
 */
export async function closeGigsOf({ gigs, clock }: Parts, posterId: string): Promise<void> {
  for (;;) {
    const open = await gigs.find({ posterId, status: 'open' }, { limit: page })
    for (const { id } of open) await gigs.change(id, gig => closeReclaimed(gig, clock.now()))
    if (open.length < page) return
  }
}

/** Goes round the open gigs, a page each minute, and closes those whose poster has lost its wallet while the event about it was lost. */
export function reclaimedWalk({ gigs, agents, clock, log }: Parts): Job {
  const nextPage = endlessWalk(gigs, page, { filter: { status: 'open' }, now: () => clock.now().getTime() })
  return {
    name: 'open gigs of agents without a wallet',
    everyMs,
    run: async now => {
      const open = await nextPage()
      const posters = await agents.many([...new Set(open.map(({ posterId }) => posterId))])
      const reclaimed = open.filter(({ posterId }) => posters.get(posterId)?.wallet === null)
      await eachDue(log, reclaimed, ({ id }) => gigs.change(id, gig => closeReclaimed(gig, now)))
    },
  }
}
