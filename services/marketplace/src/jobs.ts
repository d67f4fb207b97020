import { dueBy, eachDue, type Job } from '@carapace/service'
import { firstRequestMs } from './acceptance.ts'
import { withdrawInvitations } from './crew/crew.ts'
import { decidedWalk, expire } from './decided-gigs.ts'
import { carryOnAcceptance } from './hire.ts'
import { expireOffer, isBeingAccepted } from './offer/offer.store.ts'
import { panelPolls } from './panel.ts'
import type { Parts } from './parts.ts'
import { reclaimedWalk } from './reclaimed.ts'

const everyMs = 5_000
const batch = 100

/** Transitions by time alone, and what a lost event would have caused. */
export const jobs = (parts: Parts): Job[] => {
  const { gigs, offers, crews, log } = parts
  return [
    {
      name: 'expiry of gigs',
      everyMs,
      due: dueBy(gigs, 'dueAt'),
      run: async now => {
        await eachDue(log, await gigs.due(now, batch), gig => expire(parts, gig, now))
      },
    },
    {
      name: 'acceptances that wait for a bond lock',
      everyMs,
      due: dueBy(gigs, 'acceptance.at', { afterMs: firstRequestMs }),
      run: async now => {
        await eachDue(log, await gigs.waiting(now, batch), gig => carryOnAcceptance(parts, gig, now))
      },
    },
    panelPolls(parts),
    decidedWalk(parts),
    reclaimedWalk(parts),
    {
      name: 'expiry of offers',
      everyMs,
      due: dueBy(offers, 'expiresAt', { filter: { status: 'pending' } }),
      run: async now => {
        const due = await offers.find({ status: 'pending', expiresAt: { $lte: now } }, { limit: batch })
        await eachDue(log, due, async offer => {
          const gig = await gigs.need(offer.gigId)
          if (isBeingAccepted(offer, gig)) return
          await offers.change(offer.id, present => expireOffer(present, gig, now))
        })
      },
    },
    {
      name: 'expiry of crew invitations',
      everyMs,
      due: dueBy(crews, 'dueAt'),
      run: async now => {
        const due = await crews.find({ dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit: batch })
        await eachDue(log, due, ({ id }) => crews.change(id, crew => withdrawInvitations(crew, now)))
      },
    },
  ]
}
