import { type marketplaceApi, refuse, usd } from '@carapace/api'
import { refsIn, type SkilledAgent } from '@carapace/projections'
import { type Handlers, recordIdOf, reply } from '@carapace/service'
import { addApplicant, dropAcceptance } from '../acceptance.ts'
import { newApplication } from '../application/application.store.ts'
import { inNewcomerLane } from '../application/newcomer-lane.ts'
import { assigneeFor } from '../crew/crew-rules.ts'
import { type Gig, needOpen } from '../gig.ts'
import { type Hired, hire, hireByOffer, needTrusted } from '../hire.ts'
import { declineOffer, isBeingAccepted, needPending, newOffer } from '../offer/offer.store.ts'
import type { Parts } from '../parts.ts'
import { applicationView, gigView, offerView } from '../views.ts'
import { viewOf } from './gigs.ts'

function needPoster(gig: Gig, caller: string): void {
  if (gig.posterId !== caller) refuse('NOT_POSTER')
}

const statusUrl = (gigId: string): string => `/api/gigs/${gigId}`

/** Who has applied, of rows that have been read. */
export function applicantView(agentId: string, agents: ReadonlyMap<string, SkilledAgent>) {
  const { riskScore = 0, skills = [] } = agents.get(agentId) ?? {}
  return { ...refsIn(agents)(agentId), riskScore, skills }
}

export const hiringHandlers = (parts: Parts) =>
  ({
    applyToGig: async ({ params, body, caller, operationId }) => {
      const id = recordIdOf(operationId)
      const gig = await parts.gigs.need(params.id)
      const application = await parts.applications.createOnce(id, async () => {
        if (gig.posterId === caller.agentId) refuse('SELF_ACTION')
        needOpen(gig)
        if (await parts.applications.of(gig.id, caller.agentId)) refuse('ALREADY_APPLIED')
        needTrusted(await parts.agents.fresh(caller.agentId))
        const { crewId, memberIds } = await assigneeFor(parts, gig, caller.agentId, body.crewId)
        return newApplication(gig, { id, agentId: caller.agentId, crewId, memberIds, proposal: body.proposal })
      })
      const noted = await parts.gigs.change(gig.id, present => addApplicant(present, caller.agentId, parts.clock.now()))
      return { application: applicationView(application), gig: await viewOf(parts, noted, { agentId: caller.agentId }) }
    },

    listApplicants: async ({ params, query: { newcomerLane: isOfLane = false, ...page } }) => {
      const gig = await parts.gigs.need(params.id)
      const chosen = isOfLane ? { agentId: { $in: [...(await inNewcomerLane(parts, gig, gig.applicantIds))] } } : {}
      const { items, total } = await parts.applications.page({ gigId: gig.id, ...chosen }, page)
      const agents = await parts.agents.many(items.map(item => item.agentId))
      const inLane = await inNewcomerLane(parts, gig, [...agents.keys()], agents)
      const applicants = items.map(item => ({
        ...applicationView(item),
        newcomerLane: inLane.has(item.agentId),
        agent: applicantView(item.agentId, agents),
      }))
      return { applicants, total, ...page }
    },

    acceptApplicant: async ({ params, body, caller }) => {
      const gig = await parts.gigs.need(params.id)
      needPoster(gig, caller.agentId)
      const application = (await parts.applications.of(gig.id, body.applicantAgentId)) ?? refuse('NOT_FOUND', { resource: 'application' })
      const hired = await hire(parts, gig, { by: 'application', id: application.id }, () =>
        assigneeFor(parts, gig, application.agentId, application.crewId ?? undefined),
      )
      return answerHired(parts, hired, caller.agentId, application.agentId)
    },

    offerGig: async ({ params, body, caller, operationId }) => {
      const id = recordIdOf(operationId)
      const offer = await parts.offers.createOnce(id, async () => {
        const gig = await parts.gigs.need(params.id)
        const to = await parts.agents.needById(params.agentId)
        needPoster(gig, caller.agentId)
        if (to.id === caller.agentId) refuse('SELF_ACTION')
        needOpen(gig)
        return newOffer(id, gig, to.id, body.message ?? null, parts.clock.now())
      })
      return { offerId: offer.id, offer: offerView(offer) }
    },

    respondToOffer: async ({ params, body, caller }) => {
      const offer = await parts.offers.need(params.offerId)
      if (offer.toAgentId !== caller.agentId) refuse('FORBIDDEN', undefined, { message: 'Only the recipient answers an offer' })
      const now = parts.clock.now()
      const gig = await parts.gigs.need(offer.gigId)
      if (body.action === 'decline') {
        declineOffer(offer, gig, now)
        // it may have been accepted before: the bond lock that this waits for assigns nothing then
        const left = await parts.gigs.change(gig.id, present => dropAcceptance(present, offer.id))
        const declined = await parts.offers.change(offer.id, present => declineOffer(present, left, now))
        return { offer: offerView(declined), gig: await viewOf(parts, left, { agentId: caller.agentId }) }
      }
      if (!isBeingAccepted(offer, gig)) needPending(offer, now)
      const hired = await hireByOffer(parts, gig, offer)
      const answer = { offer: offerView(hired.offer), gig: await viewOf(parts, hired.gig, { agentId: caller.agentId }) }
      return hired.assigned ? answer : reply(202, { ...answer, statusUrl: statusUrl(gig.id) })
    },

    listAgentOffers: async ({ params, query }) => {
      const { status, ...page } = query
      const agent = await parts.agents.need(params.id)
      const { items, total } = await parts.offers.page({ toAgentId: agent.id, ...(status === 'pending' ? { status } : {}) }, page)
      const gigs = new Map((await parts.gigs.find({ _id: { $in: items.map(item => item.gigId) } })).map(gig => [gig.id, gig]))
      const refs = await parts.agents.refs(items.map(item => item.fromAgentId))
      const offers = items.map(item => {
        const gig = gigs.get(item.gigId)!
        return {
          ...offerView(item),
          gig: { id: gig.id, title: gig.title, budget: usd(gig.budget), currency: 'USDC' as const, skillsRequired: gig.skillsRequired },
          from: refs(item.fromAgentId),
        }
      })
      return { offers, total, ...page }
    },
  }) satisfies Handlers<typeof marketplaceApi>

async function answerHired(parts: Parts, { gig, assigned }: Hired, poster: string, assigneeId: string) {
  const refs = await parts.agents.refs([gig.posterId, gig.assigneeId, assigneeId])
  const answer = { assigned, gig: gigView(gig, refs, { agentId: poster }), assignee: refs(assigneeId) }
  return assigned ? answer : reply(202, { ...answer, statusUrl: statusUrl(gig.id) })
}
