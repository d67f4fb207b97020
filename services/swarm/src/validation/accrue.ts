import { Refusal, rewardAccrued } from '@carapace/api'
import { type Stored, transact } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { storeRewards } from './funding-polls.ts'
import { facts, type Validation } from './validation.ts'
import { rewardsOf } from './winners.ts'

/** Rewards of a funded validation accrue in full for those who voted with the verdict; a second time changes nothing. */
export async function accrue(parts: Parts, validation: Stored<Validation>): Promise<void> {
  if (validation.status !== 'approved' && validation.status !== 'rejected') return
  const earned = rewardsOf(validation, parts.clock.now())
  if (earned.length === 0) return
  const rewards = earned.map(({ validatorId, accrued: amount }) => ({ validatorId, amount }))
  const accrued = rewardAccrued.of({ ...facts(validation), rewards })
  try {
    await transact(parts, session => parts.rewards.rows.createAll(earned, session))
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'ALREADY_EXISTS') throw error
    // of an earlier delivery, or of a release that stored one after the other
    await storeRewards(parts, validation)
  }
  // in line with what else changes the validation at that moment; where this process stops before it, the event comes again
  await parts.validations.change(validation.id, state => ({ state, events: [accrued] }), { cause: `accrue:${validation.id}` })
}
