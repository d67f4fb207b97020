import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { id, microText, pageQuery, timestamp } from '../core/fields.ts'
import { announceEndpoint } from '../core/snapshot.ts'
import { riskLevel, scoreComponents, tier } from '../core/terms.ts'
import { slashStatus } from '../escrow/records.ts'
import { auditEvent, reputationAnswer, riskAnswer } from './records.ts'

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

/** For the page of an agent, as the public reads answer. An agent without a score has neither reputation nor risk. */
export const getScoreWithLog = endpoint({
  method: 'get',
  path: '/internal/v1/scores/:agentId/with-log',
  caller: 'internal',
  summary: 'Reputation and risk of an agent, and the newest entries of its log',
  query: { entries: pageQuery.limit },
  response: z.looseObject({ reputation: reputationAnswer.optional(), risk: riskAnswer.optional(), events: z.array(auditEvent) }),
})

export const getListedSlash = endpoint({
  method: 'get',
  path: '/internal/v1/slashes/:id',
  caller: 'internal',
  summary: 'A slash as the lists here show it; its owner is the escrow',
  response: z.looseObject({ slashId: id, status: slashStatus }),
})

export const announceScores = announceEndpoint(['score'])
