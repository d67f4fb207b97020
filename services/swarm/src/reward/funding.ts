import { escrowApi } from '@carapace/api'
import { type Job, peerPolls } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { endFunding, fund, type Reward, rewardId } from './reward.ts'

/** What the escrow has funded of a validation so far. @returns false before the rewards are stored */
export async function followFunding(
  { rewards, clock }: Parts,
  validationId: string,
  of: readonly { validatorId: string; funded: bigint }[],
): Promise<boolean> {
  for (const { validatorId, funded } of of) {
    const reward = await rewards.rows.changeKnown(rewardId(validationId, validatorId), present => fund(present, funded, clock.now()))
    if (!reward) return false
  }
  return true
}

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

/** What has accrued is sent again: an escrow that never got it funds it now. */
async function poll(parts: Parts, validationId: string): Promise<void> {
  const [validation, earned] = await Promise.all([parts.validations.need(validationId), parts.rewards.rows.find({ validationId })])
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
