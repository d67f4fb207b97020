import { z } from 'zod'
import { event } from '../core/event.ts'
import { chain, id, micro, timestamp } from '../core/fields.ts'
import { snapshotEvent } from '../core/snapshot.ts'
import { riskLevel, tier } from '../core/terms.ts'
import { scoreRow } from './internal.ts'

const components = z.object({
  gigPerformance: z.number(),
  bondReliability: z.number(),
  onChainBehaviour: z.number(),
  ecosystemSignals: z.number(),
})

/** Everything a profile shows of the reputation, as it is now; sent when any of it changes. */
export const scoreChanged = event(
  'reputation.score.changed',
  'agentId',
  'Score, risk, badges or totals of an agent changed',
  {
    agentId: id,
    fusedScore: z.number(),
    previousScore: z.number(),
    tier,
    riskScore: z.int(),
    /** Absent in early events. */
    previousRisk: z.int().optional(),
    /** How reliably it judges the work of others (J), in millionths. Absent in early events. */
    judgement: z.int().optional(),
    previousJudgement: z.int().optional(),
    riskLevel,
    components,
    badges: z.array(z.string()),
    totalGigsCompleted: z.int(),
    totalEarned: micro,
    /** Completed of all that were assigned and ended, 0 to 1. */
    gigCompletionRate: z.number(),
    formulaVersion: z.string(),
    computedAt: timestamp,
  },
  {
    everyone: [
      'agentId',
      'fusedScore',
      'previousScore',
      'tier',
      'riskScore',
      'previousRisk',
      'riskLevel',
      'components',
      'badges',
      'totalGigsCompleted',
      'computedAt',
    ],
  },
)

export const tierChanged = event(
  'reputation.tier.changed',
  'agentId',
  'An agent reached another tier',
  {
    agentId: id,
    tier,
    previousTier: tier,
    fusedScore: z.number(),
  },
  { everyone: ['agentId', 'tier', 'previousTier', 'fusedScore'] },
)

export const riskChanged = event(
  'reputation.risk.changed',
  'agentId',
  'An agent reached another risk level',
  {
    agentId: id,
    riskScore: z.int(),
    riskLevel,
    previousLevel: riskLevel,
  },
  { everyone: ['agentId', 'riskScore', 'riskLevel', 'previousLevel'] },
)

export const scoreSynced = event(
  'reputation.score.synced',
  'agentId',
  'A network has the present score',
  {
    agentId: id,
    chain,
    fusedScore: z.number(),
    riskScore: z.int(),
    tier,
    txHash: z.string(),
    syncedAt: timestamp,
  },
  { everyone: ['agentId', 'chain', 'fusedScore', 'riskScore', 'tier', 'txHash', 'syncedAt'] },
)

export const reputationSnapshot = snapshotEvent('reputation', ['score'], scoreRow)
