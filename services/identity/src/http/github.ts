import { type identityApi, refuse } from '@carapace/api'
import { type Handlers, reply } from '@carapace/service'
import { type Agent, changed } from '../agent.ts'
import { needActive } from '../heartbeat/heartbeat.ts'
import type { Parts } from '../parts.ts'
import { type Skill, statusOf, trustOf } from '../skills/skill.ts'
import { changeSkill } from '../skills/skill-changes.ts'
import { handedIn } from './skills.ts'

/** Points of a repository that was named, and of one that GitHub confirmed. */
const trust = { linked: 20, checked: 30 } as const
const syncPauseMs = 60_000

/** Evidence from a repository. A confirmation of GitHub stays valid while GitHub cannot be reached. */
const backed = (repoUrl: string, checked: boolean | undefined) => (skill: Skill) => {
  const isConfirmed = checked ?? (skill.githubChecked && skill.repoUrl === repoUrl)
  return { repoUrl, githubChecked: isConfirmed, trust: { ...skill.trust, github: isConfirmed ? trust.checked : trust.linked } }
}
const claimOf = ({ id, wallet, githubHandle }: Agent) => ({ account: githubHandle, id, wallet })
const words = { true: 'checked', false: 'refused', undefined: 'unchecked' } as const

export const githubHandlers = (parts: Parts) => {
  const { agents, clock, evidence, checkRepository } = parts
  return {
    linkGithub: async ({ params, body }) => {
      const now = clock.now()
      const agent = await agents.change(params.id, present => changed(needActive(present), { githubHandle: body.githubHandle, githubLinkedAt: now }))
      const checked = agent.skills.some(skill => skill.githubChecked)
      return { agentId: agent.id, githubHandle: body.githubHandle, linkedAt: now.toISOString(), checked }
    },

    linkSkillRepository: async ({ params, body }) => {
      const claimed = needActive(await agents.need(params.id))
      if (!claimed.skillNames.includes(params.skill)) refuse('NOT_FOUND', { resource: 'skill' })
      const checked = await checkRepository(body.repoUrl, claimOf(claimed))
      const agent = await agents.change(params.id, present => changeSkill(present, params.skill, clock.now(), backed(body.repoUrl, checked)))
      const status = checked ? 'checked' : 'unchecked'
      await evidence.add({ ...handedIn(parts, agent, params.skill, body.repoUrl), method: 'github', passed: checked === true, status })
      const skill = agent.skills.find(({ name }) => name === params.skill)!
      const message = skill.githubChecked
        ? 'GitHub confirms the repository'
        : 'Linked, not checked: name the agent id or wallet in the description of the repository to prove that it is yours'
      return { skill: skill.name, trustScore: trustOf(skill), status: statusOf(skill), checked: skill.githubChecked, message }
    },

    syncGithub: async ({ body }) => {
      const now = clock.now()
      const agent = await agents.change(body.agentId, present => {
        const ends = new Date((present.githubSyncedAt?.getTime() ?? 0) + syncPauseMs)
        if (ends > now)
          refuse('COOLDOWN_ACTIVE', { cooldownEndsAt: ends.toISOString() }, { retryAfter: Math.ceil((ends.getTime() - now.getTime()) / 1000) })
        return changed(needActive(present), { githubSyncedAt: now })
      })
      const results = []
      for (const { name, repoUrl } of agent.skills) {
        if (repoUrl === null) continue
        const checked = await checkRepository(repoUrl, claimOf(agent))
        if (checked !== undefined)
          await agents.change(agent.id, present =>
            present.skills.some(skill => skill.name === name && skill.repoUrl === repoUrl)
              ? changeSkill(present, name, now, backed(repoUrl, checked))
              : undefined,
          )
        results.push({ skill: name, status: words[`${checked}`] })
      }
      const synced = results.filter(result => result.status !== 'unchecked').length
      return reply(202, { agentId: agent.id, queued: results.length, synced, results })
    },
  } satisfies Handlers<typeof identityApi>
}
