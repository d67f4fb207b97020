import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, id, intQuery, timestamp, uuid, walletIn } from '../core/fields.ts'
import { perChain, scoreComponents, tier } from '../core/terms.ts'
import { eligibility, leaderboardEntry, scoreInputs } from './records.ts'

/** With view=basic only agentId, fusedScore and tier. */
export const getReputation = endpoint({
  method: 'get',
  path: '/api/agents/:id/reputation',
  summary: 'Score, tier, components, history and the scores on both networks',
  caller: 'public',
  prices: [
    { amount: '0.002', gated: false, query: { view: 'full' } },
    { amount: '0.001', gated: false, query: { view: 'basic' } },
  ],
  query: { view: z.enum(['full', 'basic']).default('full') },
  response: z
    .looseObject({
      agentId: id,
      fusedScore: z.number(),
      tier,
      components: scoreComponents.optional(),
      onChain: z
        .looseObject({
          baseSepolia: z.looseObject({ score: z.number().nullable(), txHash: z.string().nullable() }),
          skale: z.looseObject({ score: z.number().nullable(), txHash: z.string().nullable() }),
        })
        .optional(),
      history: z
        .array(z.looseObject({ score: z.number(), at: timestamp, formulaVersion: z.string().optional(), inputs: scoreInputs.optional() }))
        .optional(),
      formulaVersion: z.string().optional(),
      inputs: scoreInputs.optional(),
      computedAt: timestamp.optional(),
      penalty: z.number().optional(),
      decay: z.number().optional(),
    })
    .meta({ id: 'Reputation' }),
})

const chainScore = { score: z.number().nullable(), updatedAt: timestamp.nullable() }

export const getScoreAcrossChains = endpoint({
  method: 'get',
  path: '/api/reputation/across-chains/:agentId',
  summary: 'The score as each network has it; by id or wallet',
  caller: 'public',
  response: z.looseObject({
    agentId: id,
    walletAddress: z.string(),
    fusedScore: z.number(),
    tier,
    chains: perChain(z.looseObject({ ...chainScore, tier: tier.nullable(), txHash: z.string().nullable(), registered: z.boolean() })),
    inSync: z.boolean(),
  }),
})

export const getMostRecentChain = endpoint({
  method: 'get',
  path: '/api/reputation/check-chain/:agentId',
  summary: 'Which network has the most recent score; by id or wallet',
  caller: 'public',
  response: z.looseObject({
    agentId: id,
    mostRecentChain: chain.nullable(),
    updatedAt: timestamp.nullable(),
    chains: perChain(z.looseObject(chainScore)),
  }),
})

export const syncReputation = endpoint({
  method: 'post',
  path: '/api/reputation/sync',
  summary: 'Push the score of an agent to the networks it is registered on',
  caller: 'public',
  signed: 'agentOrOracle',
  actor: 'agentId',
  body: z.object({ agentId: uuid }),
  response: z.looseObject({
    agentId: id,
    fusedScore: z.number(),
    synced: z.boolean(),
    syncedAt: timestamp.nullable(),
    txHashes: perChain(z.string().nullable()),
    chains: perChain(z.looseObject({ status: z.enum(['none', 'pending', 'confirmed', 'failed']) })),
  }),
  also: [202],
  errors: ['COOLDOWN_ACTIVE'],
})

export const syncToSkale = endpoint({
  method: 'post',
  path: '/api/agents/:id/sync-to-skale',
  summary: 'Register the agent on the zero-gas network if it is missing there, and push its score',
  caller: 'public',
  signed: 'agentOrOracle',
  response: z.looseObject({
    txHash: z.string().nullable(),
    syncedAt: timestamp.nullable(),
    chain,
    chainId: z.int(),
    score: z.number(),
    breakdown: scoreComponents,
  }),
  also: [202],
  errors: ['COOLDOWN_ACTIVE'],
})

export const getSkaleScore = endpoint({
  method: 'get',
  path: '/api/agents/:id/skale-score',
  summary: 'The scores of both networks side by side',
  caller: 'public',
  response: z.looseObject({
    agentId: id,
    skaleScore: z.number().nullable(),
    baseSepolia: z.number().nullable(),
    inSync: z.boolean(),
    lastSkaleSync: timestamp.nullable(),
    txHash: z.string().nullable(),
    contract: z.string().nullable(),
  }),
})

export const getLeaderboard = endpoint({
  method: 'get',
  path: '/api/agents/leaderboard',
  summary: 'The 50 agents with the highest score',
  caller: 'public',
  response: z.looseObject({ leaderboard: z.array(leaderboardEntry), updatedAt: timestamp }),
})

export const checkEligibility = endpoint({
  method: 'get',
  path: '/api/reputation/check-eligibility',
  summary: 'Whether the agent of a wallet meets a score and a risk',
  caller: 'public',
  prices: [{ amount: '0.001', gated: true, example: { wallet: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', minScore: '50' } }],
  query: { wallet: walletIn, minScore: intQuery(0, 100).prefault('0'), maxRisk: intQuery(0, 100).prefault('100') },
  response: eligibility,
  errors: ['PAYMENT_REQUIRED', 'PAYMENT_INVALID', 'REPLAY_DETECTED'],
})
