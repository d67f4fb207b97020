import { type identityApi, identitySnapshot, refuse } from '@carapace/api'
import { announceRows, type Handlers, reply } from '@carapace/service'
import { progressOf } from '../agent.ts'
import type { Parts } from '../parts.ts'
import { whenSettled } from '../registration/register.ts'
import { registerOn } from '../registration/registration.ts'
import { skillView } from '../skills/views.ts'
import { agentRow, profiles } from '../views.ts'

/** Shorter than the caller's own wait, so that it gets an answer and not a time-out. */
const waitMs = 8_000
const mostRestricted = 200
/** A change has its time before it is committed: so long at most, with room to spare. */
const commitMs = 30_000

export const internalHandlers = (parts: Parts) =>
  ({
    getAgentRow: async ({ params }) => agentRow(await parts.agents.need(params.id)),

    getAgentRowByWallet: async ({ params }) => agentRow((await parts.agents.byWallet(params.wallet)) ?? refuse('NOT_FOUND', { resource: 'agent' })),

    getAgentRowByHandle: async ({ params }) => agentRow((await parts.agents.byHandle(params.handle)) ?? refuse('NOT_FOUND', { resource: 'agent' })),

    getProfileWithSkills: async ({ params }) => {
      const agent = await parts.agents.named(params.id)
      const [profile] = await profiles(parts, [agent], parts.clock.now())
      return { agent: profile!, skills: agent.skills.map(skill => skillView(agent, skill)) }
    },

    registerOnChain: async ({ params }) => {
      const { id, chain } = params
      const sent = await parts.agents.change(id, agent => registerOn(agent, chain, parts.baseUrl))
      const agent = sent.chains[chain].identity.onChain?.status === 'confirmed' ? sent : await whenSettled(parts, id, waitMs)
      const { identity } = agent.chains[chain]
      const { tokenId } = identity
      const { status, txHash } = progressOf(identity)
      const answer = { status: status === 'none' ? 'pending' : status, tokenId, txHash } as const
      return answer.status === 'pending' ? reply(202, answer) : answer
    },

    listRestrictedAgents: async ({ query }) => {
      const from = parts.clock.now().getTime() - commitMs
      const found = await parts.agents.restrictedSince(new Date(query.since), mostRestricted)
      const more = found.length === mostRestricted
      const next = more ? found.at(-1)!.updatedAt : new Date(from)
      return { agents: found.map(agentRow), next: next.toISOString(), more }
    },

    announceAgents: ({ body }) => announceRows(parts, identitySnapshot, body, parts.agents, agentRow),
  }) satisfies Handlers<typeof identityApi>
