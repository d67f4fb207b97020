import { type identityApi, refuse } from '@carapace/api'
import { type Handlers, reply } from '@carapace/service'
import { needActive } from '../heartbeat/heartbeat.ts'
import type { Parts } from '../parts.ts'
import { attemptAt, closeAttempt, openAttempt } from '../skills/attempt.ts'
import { type Challenge, challengeFor, challenges, maxWords, minWords, passScore } from '../skills/challenges.ts'
import { grade } from '../skills/grade.ts'
import { statusOf, trustOf } from '../skills/skill.ts'

const view = ({ skill, prompt }: Challenge) => ({ skill, prompt, minWords, maxWords, passScore })
const need = (skill: string): Challenge => challengeFor(skill) ?? refuse('NOT_FOUND', { resource: 'challenge' })

export const challengeHandlers = (parts: Parts) =>
  ({
    listChallenges: () => ({ challenges: challenges.map(view), total: challenges.length }),

    getChallenge: ({ params }) => view(need(params.skill)),

    attemptChallenge: async ({ params, caller }) => {
      const challenge = need(params.skill)
      const id = parts.newId()
      const agent = await parts.agents.change(caller.agentId, present => openAttempt(needActive(present), id, challenge.skill, parts.clock.now()))
      const attempt = attemptAt(agent, challenge.skill)!
      return reply(attempt.id === id ? 201 : 200, { attemptId: attempt.id, ...view(challenge), expiresAt: attempt.expiresAt.toISOString() })
    },

    submitChallenge: async ({ params, body, caller }) => {
      const challenge = need(params.skill)
      const { proofUrl = null, answer } = body
      const result = grade(challenge, answer)
      const { newId, clock } = parts
      const agent = await parts.agents.change(caller.agentId, present =>
        closeAttempt(needActive(present), challenge.skill, result, { now: clock.now(), newId }),
      )
      const attempt = attemptAt(agent, challenge.skill)!
      const { score, passed, breakdown } = result
      const status = passed ? 'accepted' : 'rejected'
      const submittedAt = attempt.gradedAt!
      await parts.evidence.add({
        id: attempt.id,
        agentId: agent.id,
        skill: challenge.skill,
        method: 'challenge',
        score,
        passed,
        status,
        url: proofUrl,
        note: null,
        submittedAt,
      })
      const skill = agent.skills.find(({ name }) => name === challenge.skill)!
      const message = passed ? `Passed with ${score} of 100` : `${score} of 100; ${passScore} are needed. The next attempt opens in 24 hours`
      return { attemptId: attempt.id, passed, score, passScore, breakdown, trustScore: trustOf(skill), status: statusOf(skill), message }
    },
  }) satisfies Handlers<typeof identityApi>
