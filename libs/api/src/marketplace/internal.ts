import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, id, listOf, microText, pageQuery, timestamp, uuid } from '../core/fields.ts'
import { announceEndpoint } from '../core/snapshot.ts'
import { crewRole } from '../core/terms.ts'
import { applicant, application, gigCloseReason, gigComment, gigEscrowStatus, gigStatus, offer } from './records.ts'

/** What other services store of a gig; money in micro-USDC as text. */
export const gigRow = z
  .looseObject({
    gigId: id,
    gigTitle: z.string(),
    status: gigStatus,
    closeReason: gigCloseReason.nullable(),
    posterId: id,
    assigneeId: id.nullable(),
    crewId: id.nullable(),
    memberIds: z.array(id),
    applicantIds: z.array(id),
    budget: microText,
    bondRequired: microText,
    /** Null until the assignment. */
    feeBp: z.int().nullable(),
    chain,
    skillsRequired: z.array(z.string()),
    deadlineHours: z.int(),
    assignedAt: timestamp.nullable(),
    deadlineAt: timestamp.nullable(),
    submissionId: id.nullable(),
    submittedAt: timestamp.nullable(),
    deliverableUrl: z.string().nullable(),
    deliverableHash: z.string().nullable(),
    createdAt: timestamp,
    version: z.int(),
  })
  .meta({ id: 'GigRow' })
export type GigRow = z.output<typeof gigRow>

export const crewRow = z
  .looseObject({
    crewId: id,
    name: z.string(),
    handle: z.string(),
    leadAgentId: id,
    crewScore: z.number(),
    members: z.array(z.looseObject({ agentId: id, role: crewRole, status: z.enum(['invited', 'joined']), joinedAt: timestamp.nullable() })),
    dissolved: z.boolean(),
    version: z.int(),
  })
  .meta({ id: 'CrewRow' })
export type CrewRow = z.output<typeof crewRow>

export const getGigRow = endpoint({
  method: 'get',
  path: '/internal/v1/gigs/:id',
  caller: 'internal',
  summary: 'One gig',
  response: gigRow,
})

/** What the gig shows of its escrow, for a service that has changed it and waits until everybody reads that. */
export const getGigEscrowStatus = endpoint({
  method: 'get',
  path: '/internal/v1/gigs/:id/escrow-status',
  caller: 'internal',
  summary: 'The status of its escrow that a gig shows',
  response: z.looseObject({ escrowStatus: gigEscrowStatus }).meta({ id: 'GigEscrowStatus' }),
})

/** For the page of a gig, as the public reads answer anybody; an unknown gig has neither. */
export const listApplicantsAndComments = endpoint({
  method: 'get',
  path: '/internal/v1/gigs/:id/applicants-and-comments',
  caller: 'internal',
  summary: 'The newest applicants of a gig, and its newest comments that anybody may read',
  query: { applicants: pageQuery.limit, comments: pageQuery.limit },
  response: z.looseObject({ applicants: z.array(application.extend({ agent: applicant })), comments: z.array(gigComment) }),
})

/** For the page of an agent; an unknown one has none. */
export const listAgentGigRows = endpoint({
  method: 'get',
  path: '/internal/v1/agents/:id/gigs',
  caller: 'internal',
  summary: 'The newest gigs of an agent as poster or assignee',
  query: { limit: pageQuery.limit },
  response: z.looseObject({ gigs: z.array(gigRow) }),
})

export const getCrewRow = endpoint({
  method: 'get',
  path: '/internal/v1/crews/:id',
  caller: 'internal',
  summary: 'One crew',
  response: crewRow,
})

export const listAgentCrewRows = endpoint({
  method: 'get',
  path: '/internal/v1/agents/:id/crews',
  caller: 'internal',
  summary: 'Crews an agent is a joined member of',
  query: pageQuery,
  response: listOf('crews', crewRow),
})

/** Requested by the escrow for a bond lock that exists without an assignment: one guarded update, so the answer is final. */
export const settleAcceptance = endpoint({
  method: 'post',
  path: '/internal/v1/gigs/:id/acceptances/:agentId/settle',
  caller: 'internal',
  summary: 'Say whether the gig is assigned to this agent, and give the acceptance up for good if it is not',
  response: z.looseObject({ assigned: z.boolean() }),
})

/** For a message of type GIG_OFFER that its recipient accepts: makes and accepts a direct offer with all its checks. */
export const hireByMessage = endpoint({
  method: 'post',
  path: '/internal/v1/gigs/:id/hire',
  caller: 'internal',
  summary: 'Make and accept a direct offer',
  body: z.object({ fromAgentId: uuid, toAgentId: uuid, messageId: uuid }),
  response: z.looseObject({ offer }),
  also: [202],
  errors: ['NOT_POSTER', 'INVALID_STATE', 'ALREADY_EXISTS', 'RISK_TOO_HIGH', 'INSUFFICIENT_BOND', 'CREW_NOT_ELIGIBLE', 'ACCOUNT_SUSPENDED'],
})

export const announceGigsAndCrews = announceEndpoint(['gig', 'crew'])
