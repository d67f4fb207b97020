import { type AdminCaller, type AgentCaller, refuse, refuseField, type swarmApi, usd } from '@carapace/api'
import { type Handlers, recordIdOf, reply } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { majority, quorumFor } from '../selection/quorum.ts'
import { voteCommands } from '../validation/chain.ts'
import { needSubmitted, openForSubmission, submissionOf } from '../validation/open.ts'
import { seat } from '../validation/panel.ts'
import { renumber } from '../validation/panel-changes.ts'
import { rewardOf, seated, type Validation } from '../validation/validation.ts'
import { appealTo } from '../verdict/file-appeal.ts'
import { castVote } from '../verdict/verdict.ts'
import { decideKnowing } from '../verdict/verdict-facts.ts'
import { onChainOf, resolutionView, type Viewer, validationView, voteView } from '../views.ts'

export async function viewsOf(parts: Parts, validations: readonly Stored<Validation>[], viewer: Viewer = {}) {
  const refs = await parts.agents.refs(validations.flatMap(validation => validation.panel.map(entry => entry.agentId)))
  return validations.map(validation => validationView(validation, refs, parts.clock.now(), viewer))
}
export const votesOf = (validation: Stored<Validation>) => validation.votes.map(vote => voteView(vote, validation))
const viewOf = async (parts: Parts, validation: Stored<Validation>, viewer: Viewer) => (await viewsOf(parts, [validation], viewer))[0]!
const viewerOf = (caller: AgentCaller | AdminCaller | undefined): Viewer =>
  caller?.kind === 'agent' ? { agentId: caller.agentId } : { isOracle: caller !== undefined }

export const validationHandlers = (parts: Parts) =>
  ({
    createValidation: async ({ body, caller, operationId }) => {
      const gig = await needSubmitted(parts, body.gigId)
      if (caller.kind === 'agent' && caller.agentId !== gig.posterId) refuse('NOT_POSTER')
      const validation = await openForSubmission(parts, submissionOf(gig))
      const wanted = body.candidateCount ?? quorumFor(validation.budget).candidateCount
      needPossible(body.threshold, wanted)
      const candidateCount = Math.min(wanted, validation.eligible)
      const threshold = body.threshold ?? (body.candidateCount === undefined ? quorumFor(validation.budget).threshold : majority(candidateCount))
      if (!validation.numbersSet && validation.votes.length === 0 && validation.eligible < threshold)
        refuse('INSUFFICIENT_VALIDATORS', { eligible: validation.eligible, threshold })
      const panel = await seat(parts, validation.order, candidateCount)
      const set = await parts.validations.change(validation.id, present => renumber(present, candidateCount, threshold, panel), {
        cause: operationId,
      })
      const refs = await parts.agents.refs(set.panel.map(entry => entry.agentId))
      return {
        ...validationView(set, refs, parts.clock.now()),
        validationId: set.id,
        selectedValidators: seated(set).map(entry => refs(entry.agentId)),
        rewards: { perValidator: usd(rewardOf(set)), currency: 'USDC' as const },
      }
    },

    castVote: async ({ body, operationId, respondAsync, waitMs }) => {
      const { validationId, voterId, vote, reasoning } = body
      const ballot = { id: recordIdOf(operationId), voterId, vote, reasoning: reasoning ?? null }
      const voted = await decideKnowing(parts, validationId, (present, facts) => {
        if (present.votes.some(earlier => earlier.id === ballot.id)) return undefined
        const { state, events } = castVote(present, ballot, facts, parts.clock.now())
        return { state, events: [...events, ...voteCommands(present, state, voterId, vote === 'approve')] }
      })
      const settled = await parts.wait('validations', validationId, () => recordedVote(parts, validationId, ballot.id), waitMs())
      const latest = settled?.validation ?? voted
      const ownVote = latest.votes.find(entry => entry.id === ballot.id)!
      const answer = {
        validation: await viewOf(parts, latest, { agentId: voterId }),
        vote: voteView(ownVote, latest),
        resolution: resolutionView(latest),
        onChain: onChainOf(ownVote, latest.chain),
        statusUrl: `/api/swarm/validations/${validationId}`,
      }
      return respondAsync ? reply(202, answer) : answer
    },

    listValidations: async ({ query }) => {
      const { status, gigId, ...page } = query
      const { items, total } = await parts.validations.page({ ...(status ? { status } : {}), ...(gigId ? { gigId } : {}) }, page)
      return { validations: await viewsOf(parts, items), total, ...page }
    },

    listAgentValidations: async ({ params, query }) => {
      const { status, ...page } = query
      const agent = await parts.agents.need(params.agentId)
      const { items, total } = await parts.validations.page({ 'panel.agentId': agent.id, ...(status ? { status } : {}) }, page)
      return { validations: await viewsOf(parts, items), total, ...page }
    },

    getValidation: async ({ params, caller }) => viewOf(parts, await parts.validations.need(params.id), viewerOf(caller)),

    listVotes: async ({ params }) => {
      const validation = await parts.validations.need(params.id)
      const { id, status, frozen, disputeReason } = validation
      return { validation: { id, status, bondSlashFrozen: frozen, disputeReason }, votes: votesOf(validation) }
    },

    appealValidation: async ({ params, body, caller, operationId }) => {
      const { statement, deliverableUrl } = body
      const id = recordIdOf(operationId)
      const { status, expiresAt } = await appealTo(parts, { id, validationId: params.id, caller: caller.agentId, statement, deliverableUrl })
      return { appeal: { id, validationId: params.id, status, expiresAt: expiresAt.toISOString() } }
    },
  }) satisfies Handlers<typeof swarmApi>

/** No panel approves by more votes than it has, also when its size is the budget's own. */
function needPossible(threshold: number | undefined, candidateCount: number): void {
  if (threshold === undefined || threshold <= candidateCount) return
  refuseField('threshold', `must be at most ${candidateCount}, the size of the panel`)
}

/** The validation once this vote's record on chain has ended, confirmed or failed. */
async function recordedVote(parts: Parts, validationId: string, voteId: string) {
  const validation = await parts.validations.need(validationId)
  return validation.votes.some(vote => vote.id === voteId && vote.status !== 'pending') ? { validation } : undefined
}
