import { agentMigrated, escrowReleased, jobSettled } from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { issueReceipt } from './issue.ts'

/** Receipt and earning of what was paid. Each is made once, under the id of its gig or job. */
export const receiptEvents = (parts: Parts): Subscription[] => [
  on(agentMigrated, ({ sourceAgentId, targetAgentId }) => parts.earnings.inherit(sourceAgentId, targetAgentId)),
  on(escrowReleased, async ({ gigId, gigTitle, assigneeId, net, fee, chain, txHash, settledAt, posterScore, assigneeScore }) => {
    const completedAt = new Date(settledAt)
    await parts.earnings.add({ agentId: assigneeId, gigId, jobId: null, title: gigTitle, net, fee, chain, txHash, completedAt })
    await issueReceipt(parts, await parts.escrows.need(gigId), { posterScore, assigneeScore })
  }),
  on(jobSettled, ({ jobId, title, assigneeId, net, fee, chain, txHash, at }) =>
    parts.earnings.add({ agentId: assigneeId, gigId: null, jobId, title, net, fee, chain, txHash, completedAt: new Date(at) }),
  ),
]
