import { type CrewRow, type marketplaceApi, marketplaceSnapshot, refuse } from '@carapace/api'
import { announceRows, type Handlers, reply } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { settleAcceptance } from '../acceptance.ts'
import { memberFilter } from '../crew/crew.store.ts'
import type { Crew } from '../crew/crew.ts'
import { needOpen } from '../gig.ts'
import { hireByOffer } from '../hire.ts'
import { isBeingAccepted, needPending, newOffer } from '../offer/offer.store.ts'
import type { Parts } from '../parts.ts'
import { gigRow, offerView } from '../views.ts'

const crewRow = ({ id, name, handle, leadAgentId, crewScore, members, dissolved, version }: Stored<Crew>): CrewRow => ({
  crewId: id,
  name,
  handle,
  leadAgentId,
  crewScore,
  members: members.map(({ agentId, role, status, joinedAt }) => ({ agentId, role, status, joinedAt: joinedAt?.toISOString() ?? null })),
  dissolved,
  version,
})

export const internalHandlers = (parts: Parts) =>
  ({
    getGigRow: async ({ params }) => gigRow(await parts.gigs.need(params.id)),

    getGigEscrowStatus: async ({ params }) => ({ escrowStatus: (await parts.gigs.need(params.id)).escrowStatus }),

    listAgentGigRows: async ({ params, query }) => ({ gigs: (await parts.gigs.find({ partyIds: params.id }, query)).map(gigRow) }),

    getCrewRow: async ({ params }) => crewRow(await parts.crews.need(params.id)),

    listAgentCrewRows: async ({ params, query }) => {
      const { items, total } = await parts.crews.page({ ...memberFilter(params.id), dissolved: false }, query)
      return { crews: items.map(crewRow), total, ...query }
    },

    settleAcceptance: async ({ params }) => {
      const gig = await parts.gigs.change(params.id, present => settleAcceptance(present, params.agentId))
      return { assigned: gig.assigneeId === params.agentId }
    },

    hireByMessage: async ({ params, body }) => {
      const gig = await parts.gigs.need(params.id)
      if (gig.posterId !== body.fromAgentId) refuse('NOT_POSTER')
      const made = await parts.offers.createOnce(body.messageId, () => {
        needOpen(gig)
        return newOffer(body.messageId, gig, body.toAgentId, null, parts.clock.now())
      })
      if (!isBeingAccepted(made, gig)) needPending(made, parts.clock.now())
      const { assigned, offer } = await hireByOffer(parts, gig, made)
      return assigned ? { offer: offerView(offer) } : reply(202, { offer: offerView(offer) })
    },

    announceGigsAndCrews: ({ body }) =>
      body.kind === 'gig'
        ? announceRows(parts, marketplaceSnapshot, body, parts.gigs, gigRow)
        : announceRows(parts, marketplaceSnapshot, body, parts.crews, crewRow),
  }) satisfies Handlers<typeof marketplaceApi>
