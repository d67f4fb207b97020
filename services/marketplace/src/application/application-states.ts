import type { Application } from '@carapace/api'
import { stateMachine } from '@carapace/store'

/** Its gig decides: one that was rejected at the moment of the assignment is accepted after all. */
export const applicationStates = stateMachine<Application['status'], 'accept' | 'reject'>({
  name: 'application',
  initial: 'pending',
  final: ['accepted', 'rejected'],
  transitions: {
    pending: { accept: 'accepted', reject: { to: 'rejected', byTime: 'the end of its gig, at the latest 30 days after its creation' } },
    accepted: {},
    rejected: { accept: 'accepted' },
  },
})
