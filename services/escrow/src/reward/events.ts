import * as api from '@carapace/api'
import { claimKey, operationParts } from '@carapace/chain'
import { on, onlyPolled, onOutcomes, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { recordGigSource, recordPaidJob, recordRefundedJob, recordSource } from './ended-money.ts'
import { accrueRewards } from './fund-reward.ts'
import { correctJobFee } from './job-fee.ts'
import { followClaim, startClaim } from './pay-claim.ts'

const idOf = (opKey: string): string => operationParts(opKey)[1]

/** What the contract paid: a round may end with the payment of an earlier one, which was for another amount. */
function paidIn(logs: readonly api.ChainLog[], claimId: string): { paid?: bigint } {
  const log = logs.find(({ event, args }) => event === 'RewardPaid' && args.claimKey === claimKey(claimId))
  return log ? { paid: BigInt(String(log.args.amount)) } : {}
}

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
      await correctJobFee(parts, id, isPaid, aggregateversion)
      const isEndedOtherwise = status === 'rejected' || status === 'cancelled'
      if (isPaid) await recordSource(parts, { id, posterId, chain, kind: 'fee', fee, endedAt: new Date(at) })
      else if (isEndedOtherwise) await recordSource(parts, { id, posterId, chain, kind: 'refund', fee: 0n, endedAt: new Date(at) })
    }),
    on(api.rewardClaimRequested, request => startClaim(parts, request)),
    ...onOutcomes({
      'reward.pay': {
        confirmed: outcome => followClaim(parts, idOf(outcome.opKey), { ...outcome, ...paidIn(outcome.logs, idOf(outcome.opKey)) }),
        failed: outcome => followClaim(parts, idOf(outcome.opKey), outcome),
        reorged: onlyPolled,
      },
    }),
  ]
}
