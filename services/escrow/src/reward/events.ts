import * as api from '@carapace/api'
import { claimKey, operationParts } from '@carapace/chain'
import { on, onlyPolled, onOutcomes, type Subscription } from '@carapace/service'
import { transact } from '@carapace/store'
import { projectEscrow } from '../escrow/change-escrow.ts'
import { account, transfer } from '../ledger.ts'
import type { Parts } from '../parts.ts'
import { accrueRewards, fundWhenReady } from './fund-reward.ts'
import { correctJobFee } from './job-fee.ts'
import { followClaim, startClaim } from './pay-claim.ts'
import type { Source } from './reward.ts'
import { sourceOf } from './reward-source.ts'

const jobFeeBp = 300
const idOf = (opKey: string): string => operationParts(opKey)[1]

/** What the contract paid: a round may end with the payment of an earlier one, which was for another amount. */
function paidIn(logs: readonly api.ChainLog[], claimId: string): { paid?: bigint } {
  const log = logs.find(({ event, args }) => event === 'RewardPaid' && args.claimKey === claimKey(claimId))
  return log ? { paid: BigInt(String(log.args.amount)) } : {}
}

export const rewardEvents = (parts: Parts): Subscription[] => {
  const ended = async (source: Omit<Source, 'used'>) => {
    await parts.rewardSources.put(source)
    for (const { id } of await parts.rewards.ofSubject(source.id)) await fundWhenReady(parts, id)
  }
  const settled = ({ gigId }: { gigId: string }) =>
    projectEscrow(parts, gigId, async escrow => {
      const source = sourceOf(escrow)
      if (source) await ended(source)
    })
  return [
    on(api.rewardAccrued, accrued => accrueRewards(parts, accrued)),
    on(api.escrowReleased, settled),
    on(api.escrowRefunded, settled),
    on(api.escrowRestated, settled),
    on(api.jobSettled, async ({ jobId: id, posterId, chain, fee, txHash, at }) => {
      // the commerce contract pays its fee into the same pool
      const entry = {
        key: `job-fee:${id}`,
        chain,
        ref: { type: 'job', id },
        txHash,
        lines: transfer(account.clearing(`job.settle:${id}`), account.feePool, fee),
      }
      if (fee > 0n) await transact(parts, session => parts.ledger.post(entry, session))
      await ended({ id, posterId, chain, kind: 'fee', fee, endedAt: new Date(at) })
    }),
    on(api.jobRejected, ({ jobId: id, posterId, chain, budget, at }) =>
      ended({ id, posterId, chain, kind: 'refund', fee: api.feeOf(budget, jobFeeBp), endedAt: new Date(at) }),
    ),
    on(api.jobCorrected, async ({ jobId: id, posterId, chain, status, unpaid, fee, at }, { aggregateversion }) => {
      const isPaid = status === 'settled'
      if (!isPaid && !unpaid) return
      await correctJobFee(parts, id, isPaid, aggregateversion)
      const isEndedOtherwise = status === 'rejected' || status === 'cancelled'
      if (isPaid) await ended({ id, posterId, chain, kind: 'fee', fee, endedAt: new Date(at) })
      else if (isEndedOtherwise) await ended({ id, posterId, chain, kind: 'refund', fee: 0n, endedAt: new Date(at) })
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
