import { type identityApi, refuse } from '@carapace/api'
import type { Handlers } from '@carapace/service'
import { type Agent, verifiedSkillNames } from '../agent.ts'
import { needActive } from '../heartbeat/heartbeat.ts'
import type { Parts } from '../parts.ts'
import { newSkill, statusOf, trustOf } from '../skills/skill.ts'
import { attachSkill, changeSkill, removeSkill } from '../skills/skill-changes.ts'
import { evidenceView, skillStanding, skillView } from '../skills/views.ts'

/** Counted once per skill. */
const portfolioTrust = 15

export const skillHandlers = (parts: Parts) => {
  const { agents, clock, evidence, newId } = parts
  return {
    listAgentSkills: async ({ params }) => {
      const agent = await agents.named(params.agentId)
      const { fusedScore, tier } = agent.standing
      const skills = agent.skills.map(skill => skillView(agent, skill))
      return { agent: { id: agent.id, handle: agent.handle, fusedScore, tier }, skills, total: skills.length }
    },

    listVerifiedSkills: async ({ params }) => {
      const agent = await agents.named(params.id)
      const verifiedSkills = verifiedSkillNames(agent)
      return { agentId: agent.id, verifiedSkills, count: verifiedSkills.length }
    },

    listSkillEvidence: async ({ params }) => {
      const agent = await agents.named(params.id)
      const verifications = (await evidence.of(agent.id)).map(evidenceView)
      return { agentId: agent.id, verifications, total: verifications.length }
    },

    listSkillVerifications: async ({ params }) => {
      const agent = await agents.named(params.id)
      return { agentId: agent.id, skills: agent.skills.map(skill => skillStanding(agent, skill)) }
    },

    attachSkill: async ({ body, caller }) => {
      const { skillName, description, mcpEndpoint } = body
      const skill = newSkill(newId(), skillName, clock.now(), {
        attached: true,
        description: description || null,
        mcpEndpoint: mcpEndpoint ?? null,
      })
      const agent = await agents.change(caller.agentId, present => attachSkill(needActive(present), skill))
      return skillView(agent, agent.skills.find(({ name }) => name === skillName)!)
    },

    removeSkill: async ({ params, caller }) => {
      const owner = await agents.bySkillId(params.skillId)
      if (owner && owner.id !== caller.agentId) refuse('NOT_OWNER')
      await agents.change(caller.agentId, present => removeSkill(needActive(present), params.skillId))
      return { deleted: true as const, id: params.skillId }
    },

    addSkillPortfolio: async ({ params, body }) => {
      const { portfolioUrl } = body
      const agent = await agents.change(params.id, present =>
        changeSkill(needActive(present), params.skill, clock.now(), skill => ({
          portfolioUrl,
          trust: { ...skill.trust, portfolio: portfolioTrust },
        })),
      )
      await evidence.add({ ...handedIn(parts, agent, params.skill, portfolioUrl), method: 'portfolio', passed: true, status: 'accepted' })
      const skill = agent.skills.find(({ name }) => name === params.skill)!
      return { skill: skill.name, trustScore: trustOf(skill), status: statusOf(skill), portfolioUrl }
    },

    submitPortfolio: async ({ params, body }) => {
      const { skill, portfolioUrl, description = null } = body
      const agent = needActive(await agents.need(params.id))
      if (!agent.skillNames.includes(skill)) refuse('NOT_FOUND', { resource: 'skill' })
      const entry = {
        ...handedIn(parts, agent, skill, portfolioUrl),
        method: 'portfolio',
        passed: false,
        status: 'pending_review',
        note: description,
      } as const
      await evidence.add(entry)
      return { agentId: agent.id, skill, portfolioUrl, status: entry.status, submittedAt: entry.submittedAt.toISOString() }
    },
  } satisfies Handlers<typeof identityApi>
}

/** What every piece of evidence with an address has. */
export const handedIn = ({ newId, clock }: Parts, agent: Agent, skill: string, url: string) => ({
  id: newId(),
  agentId: agent.id,
  skill,
  score: null,
  url,
  note: null,
  submittedAt: clock.now(),
})
