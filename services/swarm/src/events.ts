import * as api from '@carapace/api'
import { Retry } from '@carapace/bus'
import { on, type Subscription } from '@carapace/service'
import { closeClaim, rewardId } from './claim.ts'
import { openForSubmission } from './open.ts'
import { chainOutcomes } from './outcomes.ts'
import type { Parts } from './parts.ts'
import { fund, type Reward } from './reward.ts'
import { facts, rewardOf } from './validation.ts'

export const events = (parts: Parts): Subscription[] => [
  ...parts.agents.subscriptions,
  ...parts.facts.subscriptions,
  on(api.gigSubmitted, payload => openForSubmission(parts, { ...payload, title: payload.gigTitle })),
  on(api.escrowDecided, ({ validationId, outcome }) =>
    validationId === null || outcome === 'unfunded' ? Promise.resolve() : accrue(parts, validationId),
  ),
  on(api.rewardFunded, async ({ validationId, rewards }) => {
    for (const { validatorId, funded } of rewards) {
      const id = rewardId(validationId, validatorId)
      if (!(await parts.rewards.rows.get(id))) throw new Retry('the reward is not accrued yet')
      await parts.rewards.rows.change(id, reward => fund(reward, funded, parts.clock.now()))
    }
  }),
  on(api.rewardPaid, paid => closeClaim(parts, paid, 'paid', paid.txHash)),
  on(api.rewardFailed, failed => closeClaim(parts, failed, 'failed', null)),
  ...chainOutcomes(parts),
]

/** Rewards of a funded validation accrue in full for those who voted with the verdict; a second time changes nothing. */
async function accrue(parts: Parts, validationId: string): Promise<void> {
  const validation = (await parts.validations.get(validationId)) ?? retry('the validation is not known yet')
  if (validation.status !== 'approved' && validation.status !== 'rejected') return
  const winning = validation.status === 'approved' ? 'approve' : 'reject'
  const amount = rewardOf(validation)
  const winners = validation.votes.filter(vote => vote.vote === winning).map(vote => vote.voterId)
  const now = parts.clock.now()
  for (const validatorId of winners) {
    const reward: Reward = {
      id: rewardId(validationId, validatorId),
      validationId,
      validatorId,
      gigId: validation.gigId,
      gigTitle: validation.title,
      chain: validation.chain,
      accrued: amount,
      funded: 0n,
      claiming: 0n,
      claimed: 0n,
      claimId: null,
      accruedAt: now,
      fundedAt: null,
    }
    if (!(await parts.rewards.rows.get(reward.id))) await parts.rewards.rows.create(reward, [], { cause: `accrue:${validationId}` })
  }
  const rewards = winners.map(validatorId => ({ validatorId, amount }))
  if (rewards.length)
    await parts.validations.change(validationId, state => ({ state, events: [api.rewardAccrued.of({ ...facts(validation), rewards })] }), {
      cause: `accrue:${validationId}`,
    })
}

function retry(reason: string): never {
  throw new Retry(reason)
}
