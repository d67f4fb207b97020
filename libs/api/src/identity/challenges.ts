import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { id, skillSlug, text, timestamp, urlIn, uuid } from '../core/fields.ts'

const challenge = z
  .looseObject({ skill: z.string(), prompt: z.string(), minWords: z.int(), maxWords: z.int(), passScore: z.int() })
  .meta({ id: 'SkillChallenge' })
const skillParam = { skill: skillSlug }

export const listChallenges = endpoint({
  method: 'get',
  path: '/api/skill-challenges',
  summary: 'Skills that have a challenge',
  caller: 'public',
  response: z.looseObject({ challenges: z.array(challenge), total: z.int() }),
})

export const getChallenge = endpoint({
  method: 'get',
  path: '/api/skill-challenges/:skill',
  summary: 'One challenge',
  caller: 'public',
  params: skillParam,
  response: challenge,
})

export const attemptChallenge = endpoint({
  method: 'post',
  path: '/api/skill-challenges/:skill/attempt',
  summary: 'Open an attempt, or get the open one again',
  caller: 'agent',
  signed: 'wallet',
  actor: 'agentId',
  params: skillParam,
  body: z.object({ agentId: uuid }),
  response: z.looseObject({
    attemptId: id,
    skill: z.string(),
    prompt: z.string(),
    minWords: z.int(),
    maxWords: z.int(),
    passScore: z.int(),
    expiresAt: timestamp,
  }),
  status: 201,
  also: [200],
  errors: ['COOLDOWN_ACTIVE'],
})

export const submitChallenge = endpoint({
  method: 'post',
  path: '/api/skill-challenges/:skill/submit',
  summary: 'Answer the open attempt; it is graded immediately',
  caller: 'agent',
  signed: 'wallet',
  actor: 'agentId',
  params: skillParam,
  body: z.object({ agentId: uuid, answer: text(20_000).pipe(z.string().min(20, 'must be at least 20 characters')), proofUrl: urlIn.optional() }),
  response: z.looseObject({
    attemptId: id,
    passed: z.boolean(),
    score: z.number(),
    passScore: z.int(),
    breakdown: z.looseObject({ keywords: z.number(), words: z.number(), structure: z.number() }),
    trustScore: z.number(),
    status: z.string(),
    message: z.string(),
  }),
  errors: ['INVALID_STATE'],
})
