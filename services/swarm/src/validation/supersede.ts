import { type PayloadOf, rewardAccrued, validationSuperseded } from '@carapace/api'
import type { Decision } from '@carapace/store'
import type { Reward } from '../reward/reward.ts'
import { facts, quorum, rewardOf, tally, type Validation } from './validation.ts'
import { validationStates } from './validation-states.ts'
import { rewardsOf, winnersOf } from './winners.ts'

/** How a gig was decided while its panel still judged. */
export type GigOutcome = PayloadOf<typeof validationSuperseded>['outcome']

/**
 * The gig was decided otherwise, so its panel has nothing left to judge. Votes equal to the decision earn what they would have earned with a verdict,
 * unless the gig was unfunded or the delivery that they judged is not that of its job any more. Undefined for a validation that has ended already. The rewards are stored together with the new state.
 */
export function supersede(v: Validation, outcome: GigOutcome, now: Date): { decision: Decision<Validation>; rewards: Reward[] } | undefined {
  const status = validationStates.next(v.status, 'supersede')
  if (status === undefined) return undefined
  const state: Validation = { ...v, status, gigOutcome: outcome, resolvedAt: now, replaceAt: null, dueAt: null }
  const rewards = rewardsOf(state, now)
  const superseded = validationSuperseded.of({
    ...facts(v),
    ...quorum(v),
    ...tally(v),
    submissionId: v.submissionId,
    outcome,
    winners: winnersOf(state),
    rewardPerValidator: rewardOf(v),
    supersededAt: now.toISOString(),
  })
  const accrued = rewards.map(({ validatorId, accrued: amount }) => ({ validatorId, amount }))
  return {
    decision: { state, events: [superseded, ...(accrued.length > 0 ? [rewardAccrued.of({ ...facts(v), rewards: accrued })] : [])] },
    rewards,
  }
}
