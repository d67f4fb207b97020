import { hourMs, refuse, retryableIn, type swarmApi, usd } from '@carapace/api'
import { type Handlers, reply } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { claimFunded } from '../reward/claim.ts'
import { claimable, passingRewards, stateOf } from '../reward/reward.ts'
import { quorumFor } from '../selection/quorum.ts'
import { maxRisk, minScore } from '../selection/selection.ts'
import { statisticsOf } from '../validation/statistics.ts'
import { rewardOf, windowMs } from '../validation/validation.ts'
import { rewardView } from '../views.ts'

export const figureHandlers = (parts: Parts) =>
  ({
    listPendingVotes: async ({ params }) => {
      const agent = await parts.agents.need(params.id)
      const pendingVotes = (await parts.validations.openOf(agent.id)).map(validation => ({
        validationId: validation.id,
        gigId: validation.gigId,
        gigTitle: validation.title,
        budget: usd(validation.budget),
        rewardPerValidator: usd(rewardOf(validation)),
        expiresAt: validation.expiresAt.toISOString(),
      }))
      return { agentId: agent.id, pendingVotes, total: pendingVotes.length }
    },

    getSwarmStatistics: () => statisticsOf(parts),

    getQuorumRequirements: ({ query }) => {
      const { candidateCount, threshold, rewardPerValidator } = quorumFor(query.budget)
      return {
        budget: usd(query.budget),
        candidateCount,
        threshold,
        rewardPerValidator: usd(rewardPerValidator),
        currency: 'USDC' as const,
        windowHours: windowMs / hourMs,
        minScore,
        maxRisk,
      }
    },

    getClaimableRewards: async ({ params }) => {
      const agent = await parts.agents.need(params.agentId)
      const now = parts.clock.now()
      const [rewards, claims] = await Promise.all([
        parts.rewards.rows.find({ validatorId: agent.id }),
        parts.rewards.claims.find({ validatorId: agent.id, status: 'claiming' }),
      ])
      const sum = (amounts: bigint[]) => usd(amounts.reduce((total, amount) => total + amount, 0n))
      return {
        agentId: agent.id,
        totalClaimable: sum(rewards.map(claimable)),
        totalAccrued: sum(rewards.map(reward => reward.accrued)),
        currency: 'USDC' as const,
        claimable: rewards.filter(reward => reward.claimed < reward.accrued || reward.claiming > 0n).map(reward => rewardView(reward, claims, now)),
      }
    },

    claimRewards: async ({ caller, waitMs }) => {
      const claims = await claimFunded(parts, caller.agentId, caller.wallet, 'validator')
      if (claims.length === 0) {
        const rewards = await parts.rewards.rows.find({ validatorId: caller.agentId })
        const passing = rewards.map(reward => retryableIn(passingRewards, stateOf(reward), ['funded'])).find(extras => extras.retryable)
        refuse('INVALID_STATE', { state: 'nothing funded', allowed: ['funded'] }, { message: 'There is no funded reward to claim', ...passing })
      }
      const ended = async () => {
        const present = await Promise.all(claims.map(claim => parts.rewards.claims.need(claim.id)))
        return present.every(claim => claim.status !== 'claiming') ? present : undefined
      }
      const settled = await parts.wait('claims', claims.at(-1)!.id, ended, waitMs())
      const latest = settled ?? claims
      const rewards = latest.flatMap(claim =>
        claim.rewards.map(reward => ({ validationId: reward.validationId, amount: usd(reward.amount), chain: claim.chain, txHash: claim.txHash })),
      )
      const answer = { claimed: usd(latest.reduce((total, claim) => total + claim.amount, 0n)), txHash: latest[0]!.txHash, rewards }
      return settled ? answer : reply(202, { ...answer, statusUrl: `/api/swarm/claimable-rewards/${caller.agentId}` })
    },
  }) satisfies Handlers<typeof swarmApi>
