import type { Offer } from '@carapace/api'
import { stateMachine } from '@carapace/store'

/** The gig decides about an acceptance: it corrects an offer that was declined or expired at the moment of the assignment. */
export const offerStates = stateMachine<Offer['status'], 'accept' | 'decline' | 'expire'>({
  name: 'offer',
  initial: 'pending',
  final: ['accepted', 'declined', 'expired'],
  transitions: {
    pending: { accept: 'accepted', decline: 'declined', expire: { to: 'expired', byTime: '72 h after the offer' } },
    accepted: {},
    declined: { accept: 'accepted' },
    expired: { accept: 'accepted' },
  },
})
