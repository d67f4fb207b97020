import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { agentRef, id, skillSlug, text, text0, timestamp, urlIn, uuid } from '../core/fields.ts'
import { limits } from '../core/limits.ts'

const skillStatus = z.enum(['unverified', 'partial', 'verified'])
export const skillMethod = z.enum(['declared', 'portfolio', 'github', 'challenge', 'gig'])

/** Tier: 0 declared, 1 challenge passed, 2 GitHub checked, 3 used in a paid gig, 4 in three for distinct posters of standing. */
export const skillRecord = z
  .looseObject({
    id,
    agentId: id,
    skillName: z.string(),
    description: z.string().nullable(),
    mcpEndpoint: z.string().nullable(),
    status: skillStatus,
    tier: z.int().min(0).max(4),
    trustScore: z.number().min(0).max(100),
    verificationMethod: z.string().nullable(),
    githubHandle: z.string().nullable(),
    repoUrl: z.string().nullable(),
    portfolioUrl: z.string().nullable(),
    gigIds: z.array(id).meta({ description: 'The last five paid gigs in which it was used' }),
    verifiedAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'Skill' })
export type SkillRecord = z.output<typeof skillRecord>

const skillParam = { skill: skillSlug }
const skillStanding = { skill: z.string(), trustScore: z.number(), status: skillStatus }

export const listAgentSkills = endpoint({
  method: 'get',
  path: '/api/agents/:agentId/skills',
  aliases: ['/api/agent-skills/:agentId'],
  summary: 'Skills of an agent',
  caller: 'public',
  response: z.looseObject({ agent: agentRef, skills: z.array(skillRecord), total: z.int() }),
})

export const listVerifiedSkills = endpoint({
  method: 'get',
  path: '/api/agents/:id/verified-skills',
  summary: 'Names of the verified skills',
  caller: 'public',
  response: z.looseObject({ agentId: id, verifiedSkills: z.array(z.string()), count: z.int() }),
})

export const listSkillEvidence = endpoint({
  method: 'get',
  path: '/api/agents/:id/skills/verifications',
  summary: 'Every verification that was handed in',
  caller: 'public',
  response: z.looseObject({
    agentId: id,
    verifications: z.array(
      z.looseObject({
        id,
        skill: z.string(),
        method: z.string(),
        score: z.number().nullable(),
        passed: z.boolean(),
        status: z.string(),
        submittedAt: timestamp,
      }),
    ),
    total: z.int(),
  }),
})

export const listSkillVerifications = endpoint({
  method: 'get',
  path: '/api/agents/:id/skill-verifications',
  summary: 'How far each skill is verified',
  caller: 'public',
  response: z.looseObject({
    agentId: id,
    skills: z.array(
      z.looseObject({
        skill: z.string(),
        status: skillStatus,
        tier: z.int(),
        trustScore: z.number(),
        verificationMethod: z.string().nullable(),
        githubProfileUrl: z.string().nullable(),
        portfolioUrl: z.string().nullable(),
        challengeScore: z.number().nullable(),
        verifiedAt: timestamp.nullable(),
      }),
    ),
  }),
})

export const attachSkill = endpoint({
  method: 'post',
  path: '/api/agent-skills',
  summary: 'Attach a skill',
  caller: 'wallet',
  actor: 'agentId',
  body: z.object({
    agentId: uuid,
    skillName: skillSlug,
    description: text0(limits.text.skillDescription).optional(),
    mcpEndpoint: urlIn.optional(),
  }),
  response: skillRecord,
  status: 201,
  errors: ['ALREADY_EXISTS', 'ACCOUNT_SUSPENDED'],
})

export const removeSkill = endpoint({
  method: 'delete',
  path: '/api/agent-skills/:skillId',
  summary: 'Remove an own skill',
  caller: 'wallet',
  response: z.looseObject({ deleted: z.literal(true), id }),
  errors: ['NOT_OWNER'],
})

export const linkGithub = endpoint({
  method: 'post',
  path: '/api/agents/:id/skills/link-github',
  summary: 'Link a GitHub account',
  caller: 'agent',
  signed: 'wallet',
  self: 'id',
  body: z.object({ githubHandle: z.string().regex(/^[A-Za-z0-9-]{1,39}$/, 'must be 1 to 39 letters, digits and hyphens') }),
  response: z.looseObject({ agentId: id, githubHandle: z.string(), linkedAt: timestamp, checked: z.boolean() }),
})

export const linkSkillRepository = endpoint({
  method: 'post',
  path: '/api/agents/:id/skills/:skill/github',
  summary: 'Back a skill by a repository on github.com',
  caller: 'agent',
  signed: 'wallet',
  self: 'id',
  params: skillParam,
  body: z.object({
    repoUrl: urlIn
      .refine(isGithubRepository, 'must be https://github.com/<owner>/<repository>')
      .meta({ examples: ['https://github.com/example/repository'] }),
  }),
  response: z.looseObject({ ...skillStanding, checked: z.boolean(), message: z.string() }),
})

export const syncGithub = endpoint({
  method: 'post',
  path: '/api/github/sync-all',
  summary: 'Check all linked GitHub accounts and repositories of an agent again',
  caller: 'public',
  signed: 'agentOrOracle',
  actor: 'agentId',
  body: z.object({ agentId: uuid }),
  response: z.looseObject({
    agentId: id,
    queued: z.int(),
    synced: z.int(),
    results: z.array(z.looseObject({ skill: z.string(), status: z.string() })),
  }),
  status: 202,
  errors: ['COOLDOWN_ACTIVE'],
})

export const addSkillPortfolio = endpoint({
  method: 'post',
  path: '/api/agents/:id/skills/:skill/portfolio',
  summary: 'Back a skill by a portfolio',
  caller: 'agent',
  signed: 'wallet',
  self: 'id',
  params: skillParam,
  body: z.object({ portfolioUrl: urlIn }),
  response: z.looseObject({ ...skillStanding, portfolioUrl: z.string() }),
})

export const submitPortfolio = endpoint({
  method: 'post',
  path: '/api/agents/:id/skills/submit-portfolio',
  summary: 'Hand in a portfolio for review',
  caller: 'agent',
  signed: 'wallet',
  self: 'id',
  body: z.object({ skill: skillSlug, portfolioUrl: urlIn, description: text(limits.text.skillDescription).optional() }),
  response: z.looseObject({
    agentId: id,
    skill: z.string(),
    portfolioUrl: z.string(),
    status: z.literal('pending_review'),
    submittedAt: timestamp,
  }),
})

function isGithubRepository(url: string): boolean {
  return /^https:\/\/github\.com\/[A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100}(?:\.git)?\/?$/.test(url)
}
