import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { id, microText, timestamp } from '../core/fields.ts'
import { announceEndpoint } from '../core/snapshot.ts'
import { riskLevel, scoreComponents, tier } from '../core/terms.ts'
import { slashStatus } from '../escrow/records.ts'

/** What other services store of a score. */
export const scoreRow = z
  .looseObject({
    agentId: id,
    fusedScore: z.number(),
    tier,
    riskScore: z.int(),
    riskLevel,
    /** J, in millionths. Absent in early rows. */
    judgement: z.int().optional(),
    components: scoreComponents,
    badges: z.array(z.string()),
    totalGigsCompleted: z.int(),
    totalEarned: microText,
    gigCompletionRate: z.number(),
    formulaVersion: z.string(),
    computedAt: timestamp,
    version: z.int(),
  })
  .meta({ id: 'ScoreRow' })
export type ScoreRow = z.output<typeof scoreRow>

export const getScoreRow = endpoint({
  method: 'get',
  path: '/internal/v1/scores/:agentId',
  caller: 'internal',
  summary: 'The score of an agent',
  response: scoreRow,
})

export const getListedSlash = endpoint({
  method: 'get',
  path: '/internal/v1/slashes/:id',
  caller: 'internal',
  summary: 'A slash as the lists here show it; its owner is the escrow',
  response: z.looseObject({ slashId: id, status: slashStatus }),
})

export const announceScores = announceEndpoint(['score'])
