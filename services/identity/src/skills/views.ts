import type { SkillRecord } from '@carapace/api'
import type { Agent } from '../agent.ts'
import { iso } from '../views.ts'
import type { Evidence } from './evidence.store.ts'
import { methodOf, type Skill, statusOf, tierOf, trustOf } from './skill.ts'

const shownUses = 5

export const skillView = (agent: Agent, skill: Skill): SkillRecord => ({
  id: skill.id,
  agentId: agent.id,
  skillName: skill.name,
  description: skill.description,
  mcpEndpoint: skill.mcpEndpoint,
  status: statusOf(skill),
  tier: tierOf(skill),
  trustScore: trustOf(skill),
  verificationMethod: methodOf(skill),
  githubHandle: agent.githubHandle,
  repoUrl: skill.repoUrl,
  portfolioUrl: skill.portfolioUrl,
  gigIds: skill.uses.slice(-shownUses).map(({ gigId }) => gigId),
  verifiedAt: iso(skill.verifiedAt),
  createdAt: skill.createdAt.toISOString(),
})

export const skillStanding = (agent: Agent, skill: Skill) => ({
  skill: skill.name,
  status: statusOf(skill),
  tier: tierOf(skill),
  trustScore: trustOf(skill),
  verificationMethod: methodOf(skill),
  githubProfileUrl: agent.githubHandle === null ? null : `https://github.com/${agent.githubHandle}`,
  portfolioUrl: skill.portfolioUrl,
  challengeScore: skill.challengeScore,
  verifiedAt: iso(skill.verifiedAt),
})

export const evidenceView = ({ id, skill, method, score, passed, status, submittedAt }: Evidence) => ({
  id,
  skill,
  method,
  score,
  passed,
  status,
  submittedAt: submittedAt.toISOString(),
})
