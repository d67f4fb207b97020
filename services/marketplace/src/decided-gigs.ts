import { escrowApi } from '@carapace/api'
import { eachDue, endlessWalk, type Job } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { followEscrowDecision } from './escrow-decision.ts'
import { expireDue, type Gig } from './gig.ts'
import type { Parts } from './parts.ts'

const everyMs = 60_000
const page = 100

/** Reads what the escrow has decided about these gigs, at most a page of them, and moves those on whose event has not arrived. */
async function followDecisions({ peers, gigs, clock, log }: Parts, found: readonly Stored<Gig>[]): Promise<void> {
  if (found.length === 0) return
  const { decisions } = await peers.call('escrow', escrowApi.internal.listGigDecisions, { body: { gigIds: found.map(({ id }) => id) } })
  const decisionOf = new Map(decisions.map(decision => [decision.gigId, decision]))
  const follow = (gig: Gig) => {
    const decision = decisionOf.get(gig.id)
    return decision && followEscrowDecision(gig, decision, clock.now())
  }
  await eachDue(log, found.filter(follow), ({ id }) => gigs.change(id, follow))
}

/** Goes round the gigs that wait for the escrow, a page of each state a minute: a decision whose event is lost is found on the way. */
export function decidedWalk(parts: Parts): Job {
  const { gigs, clock } = parts
  const now = () => clock.now().getTime()
  const pages = (['pending_validation', 'disputed'] as const).map(status => endlessWalk(gigs, page, { filter: { status }, now }))
  return {
    name: 'gigs that the escrow has decided',
    everyMs,
    run: async () => {
      for (const nextPage of pages) await followDecisions(parts, await nextPage())
    },
  }
}

/** Ends a gig by time alone. One that is assigned may be in a dispute whose event is lost: what the escrow has decided comes first. */
export async function expire(parts: Parts, gig: Stored<Gig>, now: Date): Promise<void> {
  if (gig.status === 'assigned') await followDecisions(parts, [gig])
  await parts.gigs.change(gig.id, present => expireDue(present, now))
}
