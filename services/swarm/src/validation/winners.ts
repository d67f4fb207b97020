import { type Reward, rewardId } from '../reward/reward.ts'
import { rewardOf, type Validation, type Vote } from './validation.ts'

/** The vote that wins: the one with the verdict or, where the gig was decided otherwise, the one equal to that decision. */
function winningVote({ status, gigOutcome }: Validation): Vote['vote'] | undefined {
  if (status === 'approved' || (status === 'superseded' && gigOutcome === 'release')) return 'approve'
  if (status === 'rejected' || (status === 'superseded' && gigOutcome === 'refund')) return 'reject'
  return undefined
}

/** Who voted as the gig ended; nobody while it is open, and without a decision about its money. */
export function winnersOf(v: Validation): string[] {
  const winning = winningVote(v)
  return v.votes.filter(({ vote }) => vote === winning).map(({ voterId }) => voterId)
}

/** What the winners of a funded validation have earned, in full and not funded yet. */
export const rewardsOf = (v: Validation, now: Date): Reward[] =>
  winnersOf(v).map(validatorId => ({
    id: rewardId(v.id, validatorId),
    validationId: v.id,
    validatorId,
    gigId: v.gigId,
    gigTitle: v.title,
    chain: v.chain,
    accrued: rewardOf(v),
    funded: 0n,
    claiming: 0n,
    claimed: 0n,
    claimId: null,
    accruedAt: now,
    fundedAt: null,
  }))
