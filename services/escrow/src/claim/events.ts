import { type ChainLog, rewardClaimRequested } from '@carapace/api'
import { claimKey, operationParts } from '@carapace/chain'
import { on, onlyPolled, onOutcomes, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { followClaim, startClaim } from './pay-claim.ts'

const idOf = (opKey: string): string => operationParts(opKey)[1]

/** What the contract paid: a round may end with the payment of an earlier one, which was for another amount. */
function paidIn(logs: readonly ChainLog[], claimId: string): { paid?: bigint } {
  const log = logs.find(({ event, args }) => event === 'RewardPaid' && args.claimKey === claimKey(claimId))
  return log ? { paid: BigInt(String(log.args.amount)) } : {}
}

export const claimEvents = (parts: Parts): Subscription[] => [
  on(rewardClaimRequested, request => startClaim(parts, request)),
  ...onOutcomes({
    'reward.pay': {
      confirmed: outcome => followClaim(parts, idOf(outcome.opKey), { ...outcome, ...paidIn(outcome.logs, idOf(outcome.opKey)) }),
      failed: outcome => followClaim(parts, idOf(outcome.opKey), outcome),
      reorged: onlyPolled,
    },
  }),
]
