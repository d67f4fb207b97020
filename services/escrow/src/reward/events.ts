import * as api from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { correctJobFee } from './book-job-fee.ts'
import { recordGigSource, recordPaidJob, recordRefundedJob, recordSource } from './ended-money.ts'
import { accrueRewards } from './fund-reward.ts'

export const rewardEvents = (parts: Parts): Subscription[] => {
  const settled = ({ gigId }: { gigId: string }) => recordGigSource(parts, gigId)
  return [
    on(api.rewardAccrued, accrued => accrueRewards(parts, accrued)),
    on(api.escrowReleased, settled),
    on(api.escrowRefunded, settled),
    on(api.escrowRestated, settled),
    on(api.jobSettled, job => recordPaidJob(parts, job)),
    on(api.jobRejected, job => recordRefundedJob(parts, job)),
    // a panel that still judged a job when its contract refunded it
    on(api.jobCancelled, async job => {
      if (job.refunded) await recordRefundedJob(parts, job)
    }),
    on(api.jobCorrected, async ({ jobId: id, posterId, chain, status, unpaid, fee, at }, { aggregateversion }) => {
      const isPaid = status === 'settled'
      if (!isPaid && !unpaid) return
      if (!(await correctJobFee(parts, id, isPaid, aggregateversion))) return
      const isEndedOtherwise = status === 'rejected' || status === 'cancelled'
      if (isPaid) await recordSource(parts, { id, posterId, chain, kind: 'fee', fee, endedAt: new Date(at) })
      else if (isEndedOtherwise) await recordSource(parts, { id, posterId, chain, kind: 'refund', fee: 0n, endedAt: new Date(at) })
    }),
  ]
}
