import { type AdminCaller, type AgentCaller, type marketplaceApi, usd } from '@carapace/api'
import { bareList, type Handlers, recordIdOf } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { id as keccakOfText } from 'ethers'
import { feeFor, split } from '../fees.ts'
import { orderedBy } from '../gig.store.ts'
import { type Gig, post, submit, withdraw } from '../gig.ts'
import type { Parts } from '../parts.ts'
import { gigView, type Viewer } from '../views.ts'

/** Views of gigs with the names of their parties, in one read of the projection. */
export async function gigViews(parts: Parts, gigs: readonly Stored<Gig>[], viewer: Viewer = {}) {
  const refs = await parts.agents.refs(gigs.flatMap(gig => [gig.posterId, gig.assigneeId]))
  return gigs.map(gig => gigView(gig, refs, { ...viewer, isValidator: viewer.agentId !== undefined && gig.panelIds.includes(viewer.agentId) }))
}

export const viewOf = async (parts: Parts, gig: Stored<Gig>, viewer: Viewer = {}) => (await gigViews(parts, [gig], viewer))[0]!

const viewerOf = (caller: AgentCaller | AdminCaller | undefined): Viewer =>
  caller?.kind === 'agent' ? { agentId: caller.agentId } : { isOracle: caller !== undefined }

export const gigHandlers = (parts: Parts) =>
  ({
    listGigs: async ({ query }) => {
      const { status, chain, skill, minBudget, maxBudget, assigneeId, posterId, ...page } = query
      const budget = { ...(minBudget === undefined ? {} : { $gte: minBudget }), ...(maxBudget === undefined ? {} : { $lte: maxBudget }) }
      const filter = {
        ...(status ? { status } : {}),
        ...(chain ? { chain } : {}),
        ...(skill ? { skillsRequired: skill } : {}),
        ...(Object.keys(budget).length ? { budget } : {}),
        ...(assigneeId ? { assigneeId } : {}),
        ...(posterId ? { posterId } : {}),
      }
      const { items, total } = 'budget' in filter ? await parts.gigs.pageOfRange(filter, page, orderedBy(query)) : await parts.gigs.page(filter, page)
      return bareList(await gigViews(parts, items), total, page)
    },

    getGig: async ({ params, caller }) => viewOf(parts, await parts.gigs.need(params.id), viewerOf(caller)),

    createGig: async ({ body, caller, operationId }) => {
      const id = recordIdOf(operationId)
      const { minCrewScore, gigPlan, currency, ...fields } = body
      const draft = { ...fields, id, posterId: caller.agentId, minCrewScore: minCrewScore ?? null, gigPlan: gigPlan ?? null }
      const gig = await parts.gigs.createOnce(id, () => post(draft, parts.clock.now()))
      return viewOf(parts, gig, { agentId: caller.agentId })
    },

    cancelGig: async ({ params, caller, operationId }) => {
      const gig = await parts.gigs.change(params.id, present => withdraw(present, caller.agentId, parts.clock.now()), { cause: operationId })
      return viewOf(parts, gig, { agentId: caller.agentId })
    },

    submitDeliverable: async ({ params, body, caller, operationId }) => {
      const url = body.deliverableUrl ?? null
      const note = body.deliverableNote ?? null
      const delivery = { submissionId: recordIdOf(operationId), url, note, hash: keccakOfText(url ?? note ?? '') }
      const gig = await parts.gigs.change(params.id, present =>
        present.submissionId === delivery.submissionId ? undefined : submit(present, caller.agentId, delivery, parts.clock.now()),
      )
      return { gigId: gig.id, status: gig.status, deliverable: { url, note }, validationId: null }
    },

    getFeeEstimate: async ({ params, caller }) => {
      const [gig, agent, availableBond] = await Promise.all([
        parts.gigs.need(params.id),
        parts.agents.need(caller.agentId),
        parts.bonds.available(caller.agentId),
      ])
      const fee = feeFor({ tier: agent.tier, chain: gig.chain, availableBond })
      const amounts = split(gig.budget, fee.effectiveBp)
      const percent = (bp: number) => bp / 100
      return {
        gigId: gig.id,
        baseFee: percent(fee.baseBp),
        effectiveFee: percent(fee.effectiveBp),
        discounts: {
          tierDiscount: percent(fee.discountsBp.tier),
          skaleDiscount: percent(fee.discountsBp.skale),
          bondDiscount: percent(fee.discountsBp.bond),
        },
        estimatedFeeUSDC: usd(amounts.fee),
        netAmountUSDC: usd(amounts.net),
        budget: usd(gig.budget),
      }
    },

    listAgentGigs: async ({ params, query }) => {
      const { role, status, ...page } = query
      const agent = await parts.agents.need(params.id)
      const mine = {
        poster: { posterId: agent.id },
        assignee: { assigneeId: agent.id },
        all: { partyIds: agent.id },
      }[role]
      const { items, total } = await parts.gigs.page({ ...mine, ...(status ? { status } : {}) }, page)
      const refs = await parts.agents.refs([agent.id, ...items.flatMap(gig => [gig.posterId, gig.assigneeId])])
      return { gigs: items.map(gig => gigView(gig, refs)), total, ...page, agent: refs(agent.id) }
    },
  }) satisfies Handlers<typeof marketplaceApi>
