import type { GigStatus } from '@carapace/api'
import { stateMachine } from '@carapace/store'

export type GigTrigger = 'assign' | 'withdraw' | 'expire' | 'submit' | 'submitInDispute' | 'miss' | 'hold' | 'complete' | 'cancel'

/** States in which somebody works on a gig, or is judged for it. */
export const runningStatuses: readonly GigStatus[] = ['assigned', 'pending_validation', 'disputed']

const nothingDelivered = { when: 'nothing was delivered before', holds: (gig: { submissionId: string | null }) => gig.submissionId === null }

/**
 * Every transition of a gig (behaviour 4). Those after the delivery follow the escrow's decision only: it is the arbiter of the money, so that a gig
 * is never completed by one service while another refunds it.
 */
export const gigStates = stateMachine<GigStatus, GigTrigger, { submissionId: string | null }>({
  name: 'gig',
  initial: 'open',
  final: ['completed', 'cancelled'],
  transitions: {
    open: { assign: 'assigned', withdraw: 'cancelled', expire: { to: 'cancelled', byTime: '30 d after the posting' } },
    assigned: {
      submit: 'pending_validation',
      miss: { to: 'cancelled', byTime: '24 h after the deadline' },
      hold: 'disputed',
      // the end of a dispute may be received before its beginning
      complete: 'completed',
      cancel: 'cancelled',
    },
    pending_validation: {
      complete: 'completed',
      cancel: { to: 'cancelled', byTime: 'unfunded: two windows of 72 h without a verdict' },
      hold: { to: 'disputed', byTime: 'two windows of 72 h without a verdict' },
    },
    disputed: {
      submitInDispute: { to: 'disputed', guard: nothingDelivered },
      complete: { to: 'completed', byTime: '14 d after the dispute, where the default is a release' },
      cancel: { to: 'cancelled', byTime: '14 d after the dispute, or 48 h after a frozen rejection' },
    },
    completed: {},
    cancelled: {},
  },
})
