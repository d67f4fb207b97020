import type * as api from '@carapace/api'
import { type marketplaceApi, refuse, usd } from '@carapace/api'
import { type Handlers, recordIdOf } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { memberFilter, runningNewest } from '../crew/crew.store.ts'
import { type Crew, type CrewWork, found, invitation, invite, isJoined, join, joined, leave, maxCrewsPerAgent } from '../crew/crew.ts'
import { rescoreCrew } from '../crew/crew-score.ts'
import { runningStatuses } from '../gig-states.ts'
import type { Parts } from '../parts.ts'

export async function crewViews(parts: Parts, crews: readonly Stored<Crew>[]): Promise<api.Crew[]> {
  const ids = crews.flatMap(crew => crew.members.map(member => member.agentId))
  const [refs, bonds] = await Promise.all([parts.agents.refs(ids), parts.bonds.many(ids)])
  return crews.map(crew => ({
    id: crew.id,
    name: crew.name,
    handle: crew.handle,
    description: crew.description,
    ownerWallet: crew.ownerWallet,
    leadAgentId: crew.leadAgentId,
    crewScore: crew.crewScore,
    fusedScore: crew.crewScore,
    bondPool: usd(joined(crew).reduce((sum, member) => sum + (bonds.get(member.agentId) ?? 0n), 0n)),
    gigsCompleted: crew.gigsCompleted,
    members: crew.members.map(({ agentId, role, status, joinedAt }) => ({
      agentId,
      handle: refs(agentId).handle,
      role,
      status,
      joinedAt: joinedAt?.toISOString() ?? null,
    })),
    memberCount: joined(crew).length,
    createdAt: crew.createdAt.toISOString(),
  }))
}

async function needRoom(parts: Parts, agentId: string): Promise<void> {
  if ((await parts.crews.ofMember(agentId)).length >= maxCrewsPerAgent)
    refuse('INVALID_STATE', { max: maxCrewsPerAgent }, { message: `An agent is in at most ${maxCrewsPerAgent} crews` })
}

/** Read in the order in which a gig passes through both, so that one that moves on meanwhile is not missed. */
async function workOf({ gigs }: Parts, crewId: string): Promise<CrewWork> {
  const isAssigning = (await gigs.count({ 'acceptance.crewId': crewId, status: 'open' })) > 0
  const isRunning = (await gigs.count({ crewId, status: { $in: [...runningStatuses] } })) > 0
  return isRunning ? 'running' : isAssigning ? 'assigning' : 'none'
}

const filterOf = ({ minScore, role }: { minScore?: number | undefined; role?: string | undefined }) => ({
  dissolved: false,
  ...(minScore === undefined ? {} : { crewScore: { $gte: minScore } }),
  ...(role === undefined ? {} : { roles: role }),
})

export const crewHandlers = (parts: Parts) => {
  const viewOf = async (crew: Stored<Crew>) => (await crewViews(parts, [crew]))[0]!
  return {
    createCrew: async ({ body, caller, operationId }) => {
      const id = recordIdOf(operationId)
      const crew = await parts.crews.createOnce(id, async () => {
        const now = parts.clock.now()
        await needRoom(parts, caller.agentId)
        const agents = await Promise.all(body.members.map(member => parts.agents.need(member.agentId)))
        const lead = await parts.agents.need(caller.agentId)
        return found({
          id,
          name: body.name,
          handle: body.handle,
          description: body.description ?? null,
          ownerWallet: caller.wallet,
          leadAgentId: caller.agentId,
          crewScore: lead.fusedScore,
          gigsCompleted: 0,
          former: [],
          members: [
            { agentId: caller.agentId, role: 'LEAD', status: 'joined', joinedAt: now, invitedUntil: null },
            ...agents.map((agent, at) => invitation(agent.id, body.members[at]!.role, now)),
          ],
          dissolved: false,
          dueAt: null,
        })
      })
      return viewOf(crew)
    },

    listCrews: async ({ query }) => {
      const { minScore, role, ...page } = query
      const filter = filterOf({ minScore, role })
      const { items, total } =
        minScore === undefined ? await parts.crews.page(filter, page) : await parts.crews.pageOfRange(filter, page, runningNewest)
      return { crews: await crewViews(parts, items), total, ...page }
    },

    getCrew: async ({ params }) => viewOf(await parts.crews.need(params.id)),

    listAgentCrews: async ({ params, query }) => {
      const { minScore, role, ...page } = query
      const agent = await parts.agents.need(params.id)
      const { items, total } = await parts.crews.page({ ...filterOf({ minScore }), ...memberFilter(agent.id, role) }, page)
      return { crews: await crewViews(parts, items), total, ...page }
    },

    inviteToCrew: async ({ params, body, caller, operationId }) => {
      const agent = await parts.agents.need(body.agentId)
      const decide = (present: Crew) => invite(present, caller.agentId, agent.id, body.role, parts.clock.now())
      const crew = await parts.crews.change(params.id, decide, { cause: operationId })
      return (await viewOf(crew)).members.find(member => member.agentId === agent.id) ?? refuse('NOT_FOUND', { resource: 'invitation' })
    },

    joinCrew: async ({ params, caller, operationId }) => {
      const crew = await parts.crews.need(params.id)
      if (!isJoined(crew, caller.agentId)) await needRoom(parts, caller.agentId)
      await parts.crews.change(crew.id, present => join(present, caller.agentId, parts.clock.now()), { cause: operationId })
      await rescoreCrew(parts, crew.id)
      return viewOf(await parts.crews.need(crew.id))
    },

    leaveCrew: async ({ params, body, caller, operationId }) => {
      const crew = await parts.crews.need(params.id)
      const work = await workOf(parts, crew.id)
      const decide = (present: Crew) => leave(present, caller.agentId, body.agentId ?? caller.agentId, work, parts.clock.now())
      const left = await parts.crews.change(crew.id, decide, { cause: operationId })
      if (!left.dissolved) await rescoreCrew(parts, crew.id)
      return viewOf(await parts.crews.need(crew.id))
    },
  } satisfies Handlers<typeof marketplaceApi>
}
