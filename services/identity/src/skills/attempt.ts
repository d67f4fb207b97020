import { refuse } from '@carapace/api'
import type { Decision } from '@carapace/store'
import { type Agent, type Attempt, changed } from '../agent.ts'
import { answerMs, cooldownMs } from './challenges.ts'
import type { Grade } from './grade.ts'
import { attach, newSkill } from './skill.ts'
import { changeSkill } from './skill-changes.ts'

const trustPerPoint = 0.6

export const attemptAt = (agent: Agent, skill: string): Attempt | undefined => agent.attempts.find(attempt => attempt.skill === skill)
export const isOpen = (attempt: Attempt | undefined, now: Date): boolean =>
  attempt !== undefined && attempt.gradedAt === null && attempt.expiresAt > now

/** Opens an attempt; undefined while one is open. @throws COOLDOWN_ACTIVE, VALIDATION_ERROR when there is no room for the skill */
export function openAttempt(agent: Agent, id: string, skill: string, now: Date): Decision<Agent> | undefined {
  const last = attemptAt(agent, skill)
  if (isOpen(last, now)) return undefined
  const ends = last?.gradedAt ? new Date(last.gradedAt.getTime() + cooldownMs) : undefined
  if (ends && ends > now)
    refuse('COOLDOWN_ACTIVE', { cooldownEndsAt: ends.toISOString() }, { retryAfter: Math.ceil((ends.getTime() - now.getTime()) / 1000) })
  if (!agent.skills.some(one => one.name === skill)) attach(agent.skills, newSkill(id, skill, now))
  const attempt: Attempt = { id, skill, expiresAt: new Date(now.getTime() + answerMs), gradedAt: null, score: null }
  return changed(agent, { attempts: [...agent.attempts.filter(other => other !== last), attempt] })
}

/** Closes the open attempt with its grade; a pass proves the skill, which comes onto the profile if it was not there. @throws INVALID_STATE */
export function closeAttempt(agent: Agent, skill: string, { score, passed }: Grade, circumstances: { now: Date; newId(): string }): Decision<Agent> {
  const { now, newId } = circumstances
  const attempt = attemptAt(agent, skill)
  if (!attempt || !isOpen(attempt, now))
    refuse('INVALID_STATE', { state: attempt ? 'closed' : 'none', allowed: ['open'] }, { message: 'No attempt is open' })
  const graded: Attempt = { ...attempt, gradedAt: now, score }
  const closed = { ...agent, attempts: agent.attempts.map(other => (other === attempt ? graded : other)) }
  const listed = closed.skills.some(one => one.name === skill) ? closed.skills : attach(closed.skills, newSkill(newId(), skill, now))
  return changeSkill({ ...closed, skills: listed }, skill, now, attempted => ({
    trust: { ...attempted.trust, challenge: Math.max(attempted.trust.challenge ?? 0, Math.round(trustPerPoint * score * 10) / 10) },
    challengeScore: Math.max(attempted.challengeScore ?? 0, score),
    challengePassed: attempted.challengePassed || passed,
  }))
}
