import type { identityApi } from '@carapace/api'
import { toChecksum } from '@carapace/chain'
import { type Handlers, pollDeadline, reply } from '@carapace/service'
import { announced, progressOf } from '../agent.ts'
import { awaitedBy } from '../awaits.ts'
import { needActive } from '../heartbeat/heartbeat.ts'
import type { Parts } from '../parts.ts'
import { registerAgent, whenSettled } from '../registration/register.ts'
import { registrationStatus, requestedChains } from '../registration/registration.ts'
import { newSkill, renamed } from '../skills/skill.ts'
import { onChainView, profiles, registrationParts } from '../views.ts'

export const registrationHandlers = (parts: Parts) =>
  ({
    registerAgent: async ({ body, context, operationId, respondAsync }) => {
      const { walletAddress, description, skills = [], agentType = null, ...rest } = body
      const recorded = await registerAgent(parts, {
        ...rest,
        wallet: toChecksum(walletAddress),
        walletProven: context.signedBy?.toLowerCase() === walletAddress,
        description: description || null,
        skills,
        agentType,
        operationId,
      })
      const agent = respondAsync ? recorded : await whenSettled(parts, recorded.id)
      const [profile] = await profiles(parts, [agent], parts.clock.now())
      const answer = { agent: profile!, onChain: onChainView(agent), ...registrationParts(agent, parts.explorer) }
      if (!respondAsync) return answer
      const statusUrl = `/api/agent-register/status/${agent.id}`
      return reply(202, { ...answer, tempId: agent.id, statusUrl, status: registrationStatus(agent) })
    },

    getRegistrationStatus: async ({ params }) => {
      const agent = await parts.agents.named(params.tempId)
      const progress = requestedChains(agent).map(chain => {
        const { identity } = agent.chains[chain]
        const { tokenId, attempts } = identity
        const { status, txHash, error } = progressOf(identity)
        return [chain, { status, tokenId, txHash, attempts, error }]
      })
      const [awaited] = awaitedBy(agent)
      return {
        tempId: agent.id,
        agentId: agent.id,
        handle: agent.handle,
        status: registrationStatus(agent),
        chains: Object.fromEntries(progress),
        sfuelDripped: agent.drip.onChain?.status === 'confirmed',
        nextDeadline: awaited ? pollDeadline(awaited.since, parts.clock.now()) : null,
        updatedAt: agent.updatedAt.toISOString(),
      }
    },

    setAuthPolicy: async ({ params, body }) => {
      const { requireSignature } = body
      const agent = await parts.agents.change(params.id, present => announced(present, { requireSignature }))
      return { agentId: agent.id, requireSignature: agent.requireSignature, updatedAt: agent.updatedAt.toISOString() }
    },

    updateAgent: async ({ params, body }) => {
      const { description, skills, externalLink, avatar } = body
      const now = parts.clock.now()
      const agent = await parts.agents.change(params.id, present =>
        announced(needActive(present), {
          ...(description === undefined ? {} : { description: description || null }),
          ...(skills === undefined ? {} : { skills: renamed(present.skills, skills, name => newSkill(parts.newId(), name, now)) }),
          ...(externalLink === undefined ? {} : { externalLink }),
          ...(avatar === undefined ? {} : { avatar }),
        }),
      )
      return (await profiles(parts, [agent], now))[0]!
    },
  }) satisfies Handlers<typeof identityApi>
