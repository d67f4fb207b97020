import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, id, timestamp, usdOut, usdQuery, uuid } from '../core/fields.ts'
import { currency } from '../core/terms.ts'
import { claimableReward } from './records.ts'

export const listPendingVotes = endpoint({
  method: 'get',
  path: '/api/agents/:id/swarm/pending-votes',
  summary: 'Validations that wait for the vote of an agent',
  caller: 'public',
  response: z.looseObject({
    agentId: id,
    pendingVotes: z.array(
      z.looseObject({
        validationId: id,
        gigId: id.nullable(),
        gigTitle: z.string(),
        budget: usdOut,
        rewardPerValidator: usdOut,
        expiresAt: timestamp,
      }),
    ),
    total: z.int(),
  }),
})

export const getSwarmStatistics = endpoint({
  method: 'get',
  path: '/api/swarm/statistics',
  summary: 'Figures of all validations',
  caller: 'public',
  response: z
    .looseObject({
      totalValidations: z.int(),
      pending: z.int(),
      approved: z.int(),
      rejected: z.int(),
      expired: z.int(),
      superseded: z.int(),
      frozen: z.int(),
      appeals: z.int(),
      appealsWon: z.int(),
      totalValidators: z.int(),
      activeValidators: z.int(),
      consensusRate: z.number(),
      averageResolutionSeconds: z.number(),
      totalRewardsAccrued: usdOut,
      totalRewardsClaimed: usdOut,
    })
    .meta({ id: 'SwarmStatistics' }),
})

export const getQuorumRequirements = endpoint({
  method: 'get',
  path: '/api/swarm/quorum-requirements',
  summary: 'Panel, threshold and reward for a budget',
  caller: 'public',
  query: { budget: usdQuery },
  response: z
    .looseObject({
      budget: usdOut,
      candidateCount: z.int(),
      threshold: z.int(),
      rewardPerValidator: usdOut,
      currency,
      windowHours: z.number(),
      minScore: z.number(),
      maxRisk: z.number(),
    })
    .meta({ id: 'QuorumRequirements' }),
})

export const getClaimableRewards = endpoint({
  method: 'get',
  path: '/api/swarm/claimable-rewards/:agentId',
  summary: 'Rewards of a validator that are not paid yet',
  caller: 'public',
  response: z.looseObject({
    agentId: id,
    totalClaimable: usdOut,
    totalAccrued: usdOut,
    currency,
    claimable: z.array(claimableReward),
  }),
})

export const claimRewards = endpoint({
  method: 'post',
  path: '/api/swarm/claim-rewards',
  summary: 'Have all funded rewards paid to the wallet of the validator, one payment a network',
  caller: 'wallet',
  evenMigrated: true,
  actor: 'agentId',
  body: z.object({ agentId: uuid }),
  response: z.looseObject({
    claimed: usdOut,
    txHash: z.string().nullable(),
    rewards: z.array(z.looseObject({ validationId: id, amount: usdOut, chain, txHash: z.string().nullable() })),
  }),
  also: [202],
  errors: ['INVALID_STATE'],
})
