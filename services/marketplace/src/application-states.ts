import type { Application } from '@carapace/api'
import { stateMachine } from '@carapace/store'

/** An application that is not accepted stays pending: it holds no money, and its gig, which ends by time, closes it. So pending is an end too. */
export const applicationStates = stateMachine<Application['status'], 'accept'>({
  name: 'application',
  initial: 'pending',
  final: ['pending', 'accepted', 'rejected'],
  transitions: { pending: { accept: 'accepted' }, accepted: {}, rejected: {} },
})
