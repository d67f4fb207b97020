import type { Job } from '@carapace/service'
import { withdrawInvitations } from './crew.ts'
import { runOut } from './gig.ts'
import { answerOffer, isBeingAccepted } from './offer.store.ts'
import type { Parts } from './parts.ts'

const everyMs = 5_000
const batch = 100

/** What time alone does. */
export const jobs = ({ gigs, offers, crews }: Parts): Job[] => [
  {
    name: 'gigs that run out',
    everyMs,
    run: async now => {
      for (const { id } of await gigs.due(now, batch)) await gigs.change(id, gig => runOut(gig, now))
    },
  },
  {
    name: 'offers that run out',
    everyMs,
    run: async now => {
      for (const offer of await offers.find({ status: 'pending', expiresAt: { $lte: now } }, { limit: batch })) {
        const gig = await gigs.need(offer.gigId)
        if (isBeingAccepted(offer, gig, now)) continue
        await offers.change(offer.id, present => (present.status === 'pending' ? answerOffer(present, gig, 'expired', now) : undefined))
      }
    },
  },
  {
    name: 'crew invitations that run out',
    everyMs,
    run: async now => {
      for (const { id } of await crews.find({ dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit: batch }))
        await crews.change(id, crew => withdrawInvitations(crew, now))
    },
  },
]
