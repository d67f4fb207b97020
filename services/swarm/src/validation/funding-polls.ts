import { escrowApi } from '@carapace/api'
import { type Job, peerPolls } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { followFunding } from '../reward/funding.ts'
import { endFunding, type Reward, rewardId } from '../reward/reward.ts'
import type { Validation } from './validation.ts'
import { rewardsOf } from './winners.ts'

/** The escrow funds rewards, so it is polled for those that wait for it, once for all of a validation. */
export const fundingPolls = (parts: Parts): Job =>
  peerPolls<Reward>(parts, {
    name: 'rewards that wait to be funded',
    records: parts.rewards.rows,
    filter: { fundedAt: null, isFundingOver: null },
    since: 'createdAt',
    group: ({ validationId }) => validationId,
    poll: ({ validationId }) => poll(parts, validationId),
  })

/** Stores what the winners of a validation have earned; a second time changes nothing. */
export async function storeRewards({ rewards, clock }: Parts, validation: Validation): Promise<Reward[]> {
  const earned = rewardsOf(validation, clock.now())
  for (const reward of earned) await rewards.rows.createOnce(reward.id, () => ({ state: reward, events: [] }))
  return earned
}

/** What has accrued is sent again: an escrow that never got it funds it now. All of it: a crash may have left rewards that are not stored yet. */
async function poll(parts: Parts, validationId: string): Promise<void> {
  const validation = await parts.validations.need(validationId)
  const earned = await storeRewards(parts, validation)
  const rewards = earned.map(({ validatorId, accrued }) => ({ validatorId, amount: String(accrued) }))
  const { gigId, jobId, title, posterId, chain } = validation
  const body = { validationId, gigId, jobId, title, posterId, chain, rewards }
  const answer = await parts.peers.call('escrow', escrowApi.internal.fundRewards, { body })
  const funded = answer.rewards.map(part => ({ validatorId: part.validatorId, funded: BigInt(part.funded) }))
  await followFunding(parts, validationId, funded)
  if (!answer.isOver) return
  for (const { validatorId } of funded.filter(part => part.funded === 0n))
    await parts.rewards.rows.change(rewardId(validationId, validatorId), endFunding)
}
