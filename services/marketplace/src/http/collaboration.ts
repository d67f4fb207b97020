import { type AdminCaller, type AgentCaller, type GigStatus, type marketplaceApi, refuse } from '@carapace/api'
import type { ShownAgent } from '@carapace/projections'
import { bareList, type Handlers, recordIdOf } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { type Comment, newComment, type WorkEntry } from '../collaboration.store.ts'
import { type Crew, isJoined, joined, needLead } from '../crew/crew.ts'
import { type Gig, retryableWhileHired } from '../gig.ts'
import { runningStatuses } from '../gig-states.ts'
import type { Parts } from '../parts.ts'

const leadActions = new Set(['approved', 'revision'])

/** The plan is evidence: a dispute ends its changes. The log grows until the gig ends, since a delivery into a dispute is possible. */
const planIsOpenIn: readonly GigStatus[] = ['assigned', 'pending_validation']
const logIsOpenIn = runningStatuses

const isParty = (gig: Gig, agentId: string | undefined) =>
  agentId !== undefined && (gig.posterId === agentId || gig.assigneeId === agentId || gig.memberIds.includes(agentId))
const agentIdOf = (caller: AgentCaller | AdminCaller | undefined) => (caller?.kind === 'agent' ? caller.agentId : undefined)

/** With their authors, of rows that have been read: an author that is not among them has nulls. */
export const commentViews = (comments: readonly Stored<Comment>[], agents: ReadonlyMap<string, ShownAgent>) =>
  comments.map(({ id, gigId, agentId, content, isInternal, createdAt }) => ({
    id,
    gigId,
    agentId,
    content,
    isInternal,
    createdAt: createdAt.toISOString(),
    agent: { handle: agents.get(agentId)?.handle ?? null, avatar: agents.get(agentId)?.avatar ?? null },
  }))

async function readCommentViews(parts: Parts, comments: readonly Stored<Comment>[]) {
  return commentViews(comments, await parts.agents.many([...new Set(comments.map(({ agentId }) => agentId))]))
}

/** The comments of a gig that a reader is shown. */
export const shownComments = (gigId: string, { toParty }: { toParty: boolean }) => ({
  ...{ gigId, isDeleted: { $ne: true } },
  ...(toParty ? {} : { isInternal: false }),
})

const erase = (comment: Comment) => (comment.isDeleted ? undefined : { state: { ...comment, content: '', isDeleted: true }, events: [] })

/** The crew that works on a gig. @throws INVALID_STATE when that is none, or the gig is in no such state */
async function crewAtWork(parts: Parts, gig: Gig, allowed: readonly GigStatus[]): Promise<Crew> {
  if (!gig.crewGig || gig.crewId === null || !allowed.includes(gig.status)) refuseIdle(gig, allowed)
  return parts.crews.need(gig.crewId)
}

function refuseIdle(gig: Gig, allowed: readonly GigStatus[]): never {
  const message = `This needs a crew gig that is ${allowed.join(' or ')}`
  return refuse('INVALID_STATE', { state: gig.status, allowed: [...allowed] }, { message, ...(gig.crewGig ? retryableWhileHired(gig) : {}) })
}

/** `@handle` of the lead, `ROLE#N` of the others by join order within the role. */
async function identifierOf(parts: Parts, crew: Crew, agentId: string): Promise<Pick<WorkEntry, 'identifier' | 'role'>> {
  const member = joined(crew).find(entry => entry.agentId === agentId)!
  if (member.role === 'LEAD') return { identifier: `@${(await parts.agents.need(agentId)).handle}`, role: 'LEAD' }
  const peers = joined(crew)
    .filter(entry => entry.role === member.role)
    .sort((a, b) => a.joinedAt!.getTime() - b.joinedAt!.getTime())
  return { identifier: `${member.role}#${peers.indexOf(member) + 1}`, role: member.role }
}

const workView = ({ identifier, role, action, subtask, createdAt }: Stored<WorkEntry>) => ({
  identifier,
  role,
  action,
  subtask,
  at: createdAt.toISOString(),
})

export const collaborationHandlers = (parts: Parts) =>
  ({
    updateGigPlan: async ({ params, body, caller }) => {
      const crew = await crewAtWork(parts, await parts.gigs.need(params.id), planIsOpenIn)
      needLead(crew, caller.agentId)
      const gig = await parts.gigs.change(params.id, present => {
        if (!planIsOpenIn.includes(present.status)) refuseIdle(present, planIsOpenIn)
        return { state: { ...present, gigPlan: body.gigPlan }, events: [] }
      })
      return { gigPlan: gig.gigPlan ?? '' }
    },

    listGigComments: async ({ params, query, caller }) => {
      const gig = await parts.gigs.need(params.id)
      const { items, total } = await parts.comments.page(shownComments(gig.id, { toParty: isParty(gig, agentIdOf(caller)) }), query)
      return bareList(await readCommentViews(parts, items), total, query)
    },

    addGigComment: async ({ params, body, caller, operationId }) => {
      const id = recordIdOf(operationId)
      const comment = await parts.comments.createOnce(id, async () => {
        const gig = await parts.gigs.need(params.id)
        const mayComment = body.isInternal
          ? [gig.posterId, gig.assigneeId].includes(caller.agentId)
          : isParty(gig, caller.agentId) || gig.applicantIds.includes(caller.agentId)
        if (!mayComment) refuse('NOT_PARTY', undefined, retryableWhileHired(gig, caller.agentId))
        return newComment(gig, { id, agentId: caller.agentId, ...body })
      })
      return (await readCommentViews(parts, [comment]))[0]!
    },

    deleteGigComment: async ({ params, caller }) => {
      const comment = await parts.comments.need(params.commentId)
      const isOwn = comment.agentId === caller.agentId
      if (comment.gigId !== params.id || (comment.isDeleted && !isOwn)) refuse('NOT_FOUND', { resource: 'comment' })
      if (!isOwn) refuse('NOT_OWNER')
      await parts.comments.change(comment.id, erase)
      return {}
    },

    getWorkLog: async ({ params }) => {
      const gig = await parts.gigs.need(params.id)
      const entries = await parts.workLog.find({ gigId: gig.id }, { sort: { createdAt: 1, _id: 1 } })
      return { gigId: gig.id, gigTitle: gig.title, entries: entries.map(workView) }
    },

    addWorkLogEntry: async ({ params, body, caller, operationId }) => {
      const id = recordIdOf(operationId)
      const entry = await parts.workLog.createOnce(id, async () => {
        const gig = await parts.gigs.need(params.id)
        if (!gig.agencyMode) refuse('INVALID_STATE', undefined, { message: 'This gig is not in agency mode' })
        const crew = await crewAtWork(parts, gig, logIsOpenIn)
        if (!isJoined(crew, caller.agentId)) refuse('NOT_CREW_MEMBER')
        if (leadActions.has(body.action)) needLead(crew, caller.agentId)
        return { state: { id, gigId: gig.id, agentId: caller.agentId, ...(await identifierOf(parts, crew, caller.agentId)), ...body }, events: [] }
      })
      return workView(entry)
    },
  }) satisfies Handlers<typeof marketplaceApi>
