import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { id, intQuery, listOf, pageQuery, timestamp } from '../core/fields.ts'

const hash = z.string().regex(/^0x[0-9a-f]{64}$/)

/** A candidate with the facts that the draw judged it by. */
const readCandidate = z.looseObject({
  place: z.int(),
  agentId: id,
  score: z.number(),
  risk: z.number(),
  lastSeenAt: timestamp,
  registeredAt: timestamp,
  openVotes: z.int(),
  hasRequiredSkill: z.boolean(),
  /** J, in millionths; absent in draws from before it counted. */
  judgement: z.int().optional(),
  crewIds: z.array(id),
  /** A settled payment with poster or assignee in the last 90 days. */
  tied: z.boolean(),
  isEligible: z.boolean(),
})

export const getDraw = endpoint({
  method: 'get',
  path: '/api/swarm/validations/:id/draw',
  summary: 'How the panel of a validation was drawn: all that is needed to draw it again',
  caller: 'public',
  response: z
    .looseObject({
      validationId: id,
      submissionId: z.string(),
      blockHash: hash,
      /** Drawn with the panel, when nobody could choose or foresee it. Absent in early draws. */
      salt: hash.optional(),
      /** keccak256(submissionId ‖ blockHash ‖ salt) */
      beacon: hash,
      listVersion: z.int(),
      listSize: z.int(),
      drawnAt: timestamp,
      requiredSkills: z.array(z.string()),
      read: z.array(readCandidate),
      /** Agents in drawing order, those who can come to a panel. */
      order: z.array(id),
    })
    .meta({ id: 'Draw' }),
})

const mostVersions = 999_999_999

export const listCandidateChanges = endpoint({
  method: 'get',
  path: '/api/swarm/candidates/changes',
  summary: 'Changes of the list that panels are drawn from, newest first; the first one of a place up to a version says who had it then',
  caller: 'public',
  query: { place: intQuery(0, mostVersions).optional(), untilVersion: intQuery(0, mostVersions).optional(), ...pageQuery },
  response: listOf(
    'changes',
    z
      .looseObject({
        version: z.int(),
        place: z.int(),
        agentId: id.nullable(),
        leftAgentId: id.nullable(),
        size: z.int(),
        at: timestamp,
      })
      .meta({ id: 'CandidateChange' }),
  ),
})
