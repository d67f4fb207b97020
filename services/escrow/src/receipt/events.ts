import { agentMigrated, escrowReleased, escrowRestated, jobSettled } from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { followPayment } from './follow.ts'

/** Receipt and earning of what was paid. Each is made once, under the id of its gig or job, and speaks of the payment as it stands. */
export const receiptEvents = (parts: Parts): Subscription[] => [
  on(agentMigrated, ({ sourceAgentId, targetAgentId }) => parts.earnings.inherit(sourceAgentId, targetAgentId)),
  on(escrowReleased, ({ gigId, posterScore, assigneeScore }) => followPayment(parts, gigId, { posterScore, assigneeScore })),
  on(escrowRestated, ({ gigId }) => followPayment(parts, gigId)),
  on(jobSettled, ({ jobId, title, assigneeId, net, fee, chain, txHash, at }) =>
    parts.earnings.put({ agentId: assigneeId, gigId: null, jobId, title, net, fee, chain, txHash, completedAt: new Date(at) }),
  ),
]
