import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, id, intQuery, timestamp, uuid, walletIn } from '../core/fields.ts'
import { perChain, scoreComponents, tier } from '../core/terms.ts'
import { eligibility, leaderboardEntry, reputationAnswer, scoreInputs } from './records.ts'

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
  response: reputationAnswer,
})

const contribution = z.looseObject({
  text: z.string(),
  with: id.nullable(),
  handle: z.string().nullable(),
  handleAt: z.int().nullable().meta({ description: 'Where the text has the handle: it may occur elsewhere too' }),
  points: z.number(),
})
const explainedPart = z
  .looseObject({ value: z.number(), weight: z.number(), points: z.number(), contributions: z.array(contribution) })
  .meta({ id: 'ExplainedComponent' })

/** The moment of a row of the history; without it the present score. */
const ofMoment = { at: timestamp.optional() }

/** `contributions` add up to `value` exactly; start, the points of the components and the penalty add up to the score before it is rounded. */
export const explainReputation = endpoint({
  method: 'get',
  path: '/api/agents/:id/reputation/explain',
  summary: 'Why a score is what it is, what would raise it, and what is about to decay',
  caller: 'public',
  query: ofMoment,
  response: z
    .looseObject({
      agentId: id,
      formulaVersion: z.string(),
      at: timestamp,
      inputs: scoreInputs,
      fusedScore: z.number(),
      tier,
      start: z.number(),
      decay: z.number(),
      penalty: z.number(),
      components: z.looseObject({
        gigPerformance: explainedPart,
        onChainBehaviour: explainedPart,
        bondReliability: explainedPart,
        ecosystemSignals: explainedPart,
      }),
      raises: z.array(z.looseObject({ text: z.string(), points: z.number() })),
      decays: z.array(z.looseObject({ at: timestamp, from: z.number(), to: z.number(), text: z.string() })),
      shadow: z.looseObject({ formulaVersion: z.string(), fusedScore: z.number(), tier }).nullable(),
    })
    .meta({ id: 'ScoreExplanation' }),
})

export const exportScore = endpoint({
  method: 'get',
  path: '/api/audit/agents/:id/export',
  summary: 'A stored score with the facts it was computed from, as carapace-verify-score reads it',
  caller: 'public',
  query: ofMoment,
  response: z
    .looseObject({
      format: z.literal('carapace-score'),
      agentId: id,
      formulaVersion: z.string(),
      at: timestamp,
      inputs: scoreInputs,
      facts: z.array(z.looseObject({ seq: z.int(), agentId: id, at: timestamp, type: z.string() })),
      score: z.looseObject({ fusedScore: z.number(), tier, components: scoreComponents, penalty: z.number(), decay: z.number() }),
    })
    .meta({ id: 'ScoreExport' }),
})

export const getFormulas = endpoint({
  method: 'get',
  path: '/api/reputation/formulas',
  summary: 'The formula in force, and what the other one would change; compared once a day',
  caller: 'public',
  response: z.looseObject({
    current: z.string(),
    shadow: z.string(),
    market: z.looseObject({ maturedAt: timestamp.nullable(), reason: z.enum(['anchors', 'vouchers']).nullable(), vouchers: z.int() }),
    comparison: z
      .looseObject({
        comparedAt: timestamp,
        agents: z.int(),
        meanDifference: z.number(),
        largestDifference: z.number(),
        raised: z.int(),
        lowered: z.int(),
        tierChanges: z.int(),
      })
      .nullable(),
  }),
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
