import type { JobStatus } from '@carapace/api'
import { stateMachine } from '@carapace/store'

export type JobTrigger =
  | 'fund'
  | 'assign'
  | 'submit'
  | 'dispute'
  | 'settle'
  | 'reject'
  | 'withdraw'
  | 'expire'
  | 'claim'
  | 'backToOpen'
  | 'backToFunded'
  | 'backToAssigned'
  | 'backToSubmitted'
  | 'backToDisputed'

/**
 * Every transition of a job (behaviour 7). `withdraw` is the client's own end of an open job, `claim` the refund that anybody may claim on the contract
 * after the expiry; a delivery that a block has just before the refund of a missed deadline expires with it. The `back` edges follow a reorganisation whose transaction failed when it was sent again.
 */
export const jobStates = stateMachine<JobStatus, JobTrigger>({
  name: 'job',
  initial: 'open',
  final: ['settled', 'rejected', 'cancelled'],
  transitions: {
    open: { fund: 'funded', withdraw: 'cancelled', expire: { to: 'cancelled', byTime: 'unfunded at the submission deadline' }, claim: 'cancelled' },
    funded: {
      assign: 'assigned',
      withdraw: 'cancelled',
      expire: { to: 'cancelled', byTime: 'unassigned at the submission deadline' },
      claim: 'cancelled',
      backToOpen: 'open',
    },
    assigned: {
      submit: 'submitted',
      reject: 'rejected',
      expire: { to: 'cancelled', byTime: '1 h after the submission deadline' },
      claim: 'cancelled',
      backToFunded: 'funded',
    },
    submitted: {
      settle: { to: 'settled', byTime: '24 h after an approval' },
      reject: { to: 'rejected', byTime: '24 h after a rejection' },
      dispute: { to: 'disputed', byTime: '7 d after the submission without a verdict' },
      expire: 'cancelled',
      claim: 'cancelled',
      backToAssigned: 'assigned',
    },
    disputed: {
      settle: { to: 'settled', byTime: '14 d after the dispute with an approval' },
      reject: { to: 'rejected', byTime: '14 d after the dispute without an approval' },
      expire: 'cancelled',
      claim: 'cancelled',
      backToSubmitted: 'submitted',
    },
    settled: { backToSubmitted: 'submitted', backToDisputed: 'disputed' },
    rejected: { backToAssigned: 'assigned', backToSubmitted: 'submitted', backToDisputed: 'disputed' },
    cancelled: {
      backToOpen: 'open',
      backToFunded: 'funded',
      backToAssigned: 'assigned',
      backToSubmitted: 'submitted',
      backToDisputed: 'disputed',
    },
  },
})
