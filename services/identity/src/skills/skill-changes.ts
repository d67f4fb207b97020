import { refuse, skillAttached, skillRemoved, skillVerified } from '@carapace/api'
import type { Decision } from '@carapace/store'
import { type Agent, announced, changed, verifiedSkillNames } from '../agent.ts'
import { attach, isVerified, methodOf, type Skill, tierOf, trustOf } from './skill.ts'

/** Fields of every event about a skill, with the whole lists after the change. */
const facts = (agent: Agent, skill: Skill) => ({
  agentId: agent.id,
  skillId: skill.id,
  skill: skill.name,
  skills: agent.skills.map(({ name }) => name),
  verifiedSkills: verifiedSkillNames(agent),
})

/** @throws ALREADY_EXISTS, VALIDATION_ERROR above 20 */
export function attachSkill(agent: Agent, skill: Skill): Decision<Agent> {
  const skills = attach(agent.skills, skill)
  const attached = skills.find(({ name }) => name === skill.name)!
  return changed(agent, { skills }, [skillAttached.of({ ...facts({ ...agent, skills }, attached), tier: tierOf(attached) })])
}

/** A client that never got its answer repeats a removal soon: the last ones are enough. */
const maxRemoved = 100

/** One that was removed before stays removed, without another event. @throws NOT_FOUND */
export function removeSkill(agent: Agent, skillId: string): Decision<Agent> | undefined {
  const { removedSkillIds = [] } = agent
  if (removedSkillIds.includes(skillId)) return undefined
  const skill = agent.skills.find(({ id }) => id === skillId) ?? refuse('NOT_FOUND', { resource: 'skill' })
  const skills = agent.skills.filter(other => other !== skill)
  const patch = { skills, removedSkillIds: [...removedSkillIds, skillId].slice(-maxRemoved) }
  return changed(agent, patch, [skillRemoved.of(facts({ ...agent, skills }, skill))])
}

/** New evidence for a skill, published when it reaches a higher tier. @throws NOT_FOUND when the skill is not on the profile */
export function changeSkill(agent: Agent, name: string, now: Date, patch: (skill: Skill) => Partial<Skill>): Decision<Agent> {
  const before = agent.skills.find(skill => skill.name === name) ?? refuse('NOT_FOUND', { resource: 'skill' })
  const raised = { ...before, ...patch(before) }
  const after = { ...raised, verifiedAt: isVerified(raised) ? (before.verifiedAt ?? now) : null }
  const skills = agent.skills.map(skill => (skill === before ? after : skill))
  const event = skillVerified.of({
    ...facts({ ...agent, skills }, after),
    tier: tierOf(after),
    trustScore: trustOf(after),
    method: methodOf(after) ?? 'declared',
  })
  return changed(agent, { skills }, tierOf(after) > tierOf(before) ? [event] : [])
}

/** Points of a skill that was used in a paid gig. */
const gigTrust = 10
const maxUses = 50

/** A paid gig was settled: its required skills were used. */
export function creditGig(
  agent: Agent,
  gig: { gigId: string; posterId: string; posterScore: number; skillsRequired: readonly string[] },
  now: Date,
): Decision<Agent> | undefined {
  const { gigId, posterId, posterScore, skillsRequired } = gig
  const used = agent.skills.filter(skill => skillsRequired.includes(skill.name) && !skill.uses.some(use => use.gigId === gigId))
  if (used.length === 0) return undefined
  return used.reduce<Decision<Agent>>(
    ({ state, events }, { name }) => {
      const next = changeSkill(state, name, now, skill => ({
        uses: [...skill.uses, { gigId, posterId, posterScore }].slice(-maxUses),
        trust: { ...skill.trust, gig: gigTrust },
      }))
      return { state: next.state, events: [...events, ...next.events] }
    },
    { state: agent, events: [] },
  )
}

/** The payment of a gig is reversed for good: it is no evidence of a skill any more. The event carries the skills that stay verified. */
export function discreditGig(agent: Agent, gigId: string): Decision<Agent> | undefined {
  const isUsed = (skill: Skill) => skill.uses.some(use => use.gigId === gigId)
  return agent.skills.some(isUsed)
    ? announced(agent, { skills: agent.skills.map(skill => (isUsed(skill) ? withoutUse(skill, gigId) : skill)) })
    : undefined
}

function withoutUse(skill: Skill, gigId: string): Skill {
  const uses = skill.uses.filter(use => use.gigId !== gigId)
  const { gig, ...others } = skill.trust
  const left = { ...skill, uses, trust: uses.length > 0 ? skill.trust : others }
  return { ...left, verifiedAt: isVerified(left) ? skill.verifiedAt : null }
}
