import { z } from 'zod'
import { id, timestamp } from '../core/fields.ts'
import { recommendation, riskLevel, scoreComponents, tier } from '../core/terms.ts'

export const riskAnswer = z
  .looseObject({
    agentId: id,
    handle: z.string(),
    riskScore: z.int().min(0).max(100),
    riskLevel,
    flags: z.array(z.enum(['RECENT_SLASH', 'HIGH_FAILURE_RATE', 'ACTIVE_DISPUTE', 'INACTIVE', 'BOND_DEPLETION', 'NEW_ACCOUNT', 'UNBONDED'])),
    disputeRate: z.number(),
    slashCount: z.int(),
    recommendation,
    breakdown: z.looseObject({
      slash: z.number(),
      failure: z.number(),
      dispute: z.number(),
      inactivity: z.number(),
      bondDepletion: z.number(),
      cleanStreakBonus: z.number(),
    }),
    cleanStreakDays: z.int(),
    updatedAt: timestamp,
  })
  .meta({ id: 'Risk' })

/** One entry of the hash-chained log; `hash` covers the entry and `prevHash`. */
export const auditEvent = z
  .looseObject({
    id,
    seq: z.int(),
    agentId: id,
    handle: z.string().nullable(),
    type: z.string(),
    scoreBefore: z.number().nullable(),
    scoreAfter: z.number().nullable(),
    source: z.string(),
    details: z.looseObject({}),
    proof: z.looseObject({ txHash: z.string().nullable(), eventId: z.string().nullable() }),
    createdAt: timestamp,
    prevHash: z.string(),
    hash: z.string(),
  })
  .meta({ id: 'AuditEvent' })

/** What a stored score was computed from; a score of an early record has none. */
export const scoreInputs = z
  .looseObject({
    count: z.int(),
    lastSeq: z.int().meta({ description: 'Place in the audit log up to which facts count' }),
    hash: z.string().meta({ description: 'SHA-256 over the facts' }),
    sources: z.array(id).optional().meta({ description: 'Agents that it had inherited from' }),
  })
  .meta({ id: 'ScoreInputs' })

/** A score as a network has it, and what was published there before, newest first. */
const scoreOnChain = z.looseObject({
  score: z.number().nullable(),
  txHash: z.string().nullable(),
  history: z.array(z.looseObject({ score: z.number(), at: timestamp, txHash: z.string() })),
})

export const reputationAnswer = z
  .looseObject({
    agentId: id,
    fusedScore: z.number(),
    tier,
    components: scoreComponents.optional(),
    onChain: z
      .looseObject({
        baseSepolia: scoreOnChain,
        skale: scoreOnChain,
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
  .meta({ id: 'Reputation' })

export const leaderboardEntry = z
  .looseObject({
    rank: z.int(),
    id,
    handle: z.string(),
    fusedScore: z.number(),
    tier: z.string(),
    badge: z.string().nullable(),
    totalGigsCompleted: z.int(),
    gigCompletionRate: z.number(),
    bondTier: z.string(),
    isVerified: z.boolean(),
  })
  .meta({ id: 'LeaderboardEntry' })

/** Spec fields; bondStatus is BONDED from 10 USDC. An unknown wallet is not eligible and has tier null. */
export const eligibility = z
  .looseObject({
    eligible: z.boolean(),
    wallet: z.string(),
    fusedScore: z.number(),
    tier: z.string().nullable(),
    riskIndex: z.int(),
    riskLevel,
    bondStatus: z.enum(['BONDED', 'UNBONDED']),
    chain: z.string().nullable(),
    reasons: z.array(z.string()),
    checkedAt: timestamp,
    standard: z.literal('ERC-8004'),
    passportUrl: z.string().nullable(),
    erc8004TokenId: z.string().nullable(),
  })
  .meta({ id: 'Eligibility' })
