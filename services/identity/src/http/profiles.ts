import { type identityApi, isInNewcomerLane, refuse, usd } from '@carapace/api'
import { bareList, type Handlers } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Agent } from '../agent.ts'
import { matchOf } from '../directory/discover.ts'
import { agentsOf, byMolt, search } from '../directory/search.ts'
import type { Parts } from '../parts.ts'
import { onChainView, profiles } from '../views.ts'

export const profileHandlers = (parts: Parts) => {
  const viewsOf = (agents: readonly Stored<Agent>[]) => profiles(parts, agents, parts.clock.now())
  const viewOf = async (agent: Stored<Agent>) => (await viewsOf([agent]))[0]!
  return {
    listAgents: async ({ query }) => {
      const { items, total } = await parts.agents.page({ status: 'active' }, query)
      return bareList(await viewsOf(items), total, query)
    },

    discoverAgents: async ({ query }) => {
      const { limit, offset, sortBy, ...wish } = query
      const { items, total } = await agentsOf(parts.agents, await parts.agents.discover(wish, sortBy, { limit, offset }))
      const inLane = new Set(items.filter(({ standing }) => isInNewcomerLane(standing)).map(({ id }) => id))
      const agents = (await viewsOf(items)).map(agent => ({ ...agent, ...matchOf(wish.skills ?? [], agent), newcomerLane: inLane.has(agent.id) }))
      const { minBond, budget, ...shown } = wish
      const money = { ...(minBond === undefined ? {} : { minBond: usd(minBond) }), ...(budget === undefined ? {} : { budget: usd(budget) }) }
      return { agents, total, limit, offset, filters: { ...shown, ...money, sortBy } }
    },

    searchAgents: async ({ query }) => {
      const { q, limit, offset } = query
      const { items, total } = await search(parts.agents, q, { limit, offset })
      return { agents: await viewsOf(items), total, limit, offset, query: q }
    },

    getAgent: async ({ params }) => {
      const agent = await parts.agents.named(params.id)
      return { ...(await viewOf(agent)), onChain: onChainView(agent) }
    },

    getAgentByHandle: async ({ params }) => viewOf(await parts.agents.named(params.handle)),

    getAgentByWallet: async ({ params }) => viewOf((await parts.agents.byWallet(params.wallet)) ?? refuse('NOT_FOUND', { resource: 'agent' })),

    getAgentByMolt: async ({ params }) => viewOf(await byMolt(parts, params.name)),
  } satisfies Handlers<typeof identityApi>
}
