import { agentMigrated, escrowReleased, escrowRestated, jobCorrected, jobSettled } from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { followPayment } from './follow-payment.ts'

/** Receipt and earning of what was paid. Each is made once, under the id of its gig or job, and describes the current payment. */
export const receiptEvents = (parts: Parts): Subscription[] => [
  on(agentMigrated, ({ sourceAgentId, targetAgentId }) => parts.earnings.inherit(sourceAgentId, targetAgentId)),
  on(escrowReleased, ({ gigId, posterScore, assigneeScore }) => followPayment(parts, gigId, { posterScore, assigneeScore })),
  on(escrowRestated, ({ gigId }) => followPayment(parts, gigId)),
  on(jobSettled, ({ jobId, title, assigneeId, net, fee, chain, txHash, at }) =>
    parts.earnings.put({ agentId: assigneeId, gigId: null, jobId, title, net, fee, chain, txHash, completedAt: new Date(at) }),
  ),
  on(jobCorrected, async ({ jobId, title, assigneeId, status, unpaid, net, fee, chain, txHash, at }) => {
    if (unpaid) await parts.earnings.remove(jobId)
    if (status === 'settled' && assigneeId !== null)
      await parts.earnings.put({ agentId: assigneeId, gigId: null, jobId, title, net, fee, chain, txHash, completedAt: new Date(at) })
  }),
]
