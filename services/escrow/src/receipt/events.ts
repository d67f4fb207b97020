import { agentMigrated, escrowReleased, escrowRestated, jobCorrected, jobSettled, type PayloadOf } from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import type { JobEarning } from './earning.store.ts'
import { followPayment } from './follow-payment.ts'

/** Receipt and earning of what was paid. Each is made once, under the id of its gig or job, and describes the current payment. */
export const receiptEvents = (parts: Parts): Subscription[] => [
  on(agentMigrated, ({ sourceAgentId, targetAgentId }) => parts.earnings.inherit(sourceAgentId, targetAgentId)),
  on(escrowReleased, ({ gigId, posterScore, assigneeScore }) => followPayment(parts, gigId, { posterScore, assigneeScore })),
  on(escrowRestated, ({ gigId }) => followPayment(parts, gigId)),
  on(jobSettled, (job, { aggregateversion }) => parts.earnings.putOfJob(earningOf(job), aggregateversion)),
  on(jobCorrected, async ({ assigneeId, ...job }, { aggregateversion }) => {
    if (job.status === 'settled' && assigneeId !== null) await parts.earnings.putOfJob(earningOf({ ...job, assigneeId }), aggregateversion)
    else if (job.unpaid) await parts.earnings.removeOfJob(job.jobId, aggregateversion)
  }),
]

type PaidJob = Pick<PayloadOf<typeof jobSettled>, 'jobId' | 'title' | 'assigneeId' | 'net' | 'fee' | 'chain' | 'txHash' | 'at'>

const earningOf = ({ jobId, title, assigneeId, net, fee, chain, txHash, at }: PaidJob): JobEarning => ({
  ...{ agentId: assigneeId, gigId: null, jobId, title, net, fee, chain, txHash, completedAt: new Date(at) },
})
