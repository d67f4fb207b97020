import { z } from 'zod'
import { namesOf } from '../core/audience.ts'
import { event } from '../core/event.ts'
import { chain, id, micro, timestamp } from '../core/fields.ts'
import { snapshotEvent } from '../core/snapshot.ts'
import { crewRole } from '../core/terms.ts'
import { gigCloseReason, gigStatus } from './records.ts'

/** What every event about a gig carries. */
const gigFacts = {
  gigId: id,
  gigTitle: z.string(),
  posterId: id,
  budget: micro,
  chain,
}
/** Who does it, from the assignment on; a crew gig is assigned to the lead with all joined members named. */
const assignment = { assigneeId: id, crewId: id.nullable(), memberIds: z.array(id) }
const assignmentIfAny = { ...assignment, assigneeId: id.nullable() }

const gigTerms = {
  ...gigFacts,
  status: gigStatus,
  skillsRequired: z.array(z.string()),
  bondRequired: micro,
  deadlineHours: z.int(),
  crewGig: z.boolean(),
  createdAt: timestamp,
}
export const gigPosted = event('marketplace.gig.posted', 'gigId', 'A gig was posted', gigTerms, { everyone: namesOf(gigTerms) })

export const applicationCreated = event(
  'marketplace.application.created',
  'applicationId',
  'An agent applied for a gig',
  {
    ...gigFacts,
    applicationId: id,
    applicantId: id,
    crewId: id.nullable(),
    memberIds: z.array(id),
  },
  { everyone: [...namesOf(gigFacts), 'applicationId', 'applicantId', 'crewId', 'memberIds'] },
)

/** At most 200 of them: a gig with more closes them in several events. */
export const applicationsClosed = event(
  'marketplace.application.closed',
  'gigId',
  'The gig was withdrawn or cancelled: these applications led to nothing',
  {
    ...gigFacts,
    applicantIds: z.array(id),
    reason: gigCloseReason.exclude(['approved']),
    closedAt: timestamp,
  },
  { everyone: [...namesOf(gigFacts), 'reason', 'closedAt'], parties: ['posterId', 'applicantIds'] },
)

const offerFacts = { ...gigFacts, offerId: id, fromAgentId: id, toAgentId: id }
export const offerMade = event(
  'marketplace.offer.made',
  'offerId',
  'A poster offered its gig to an agent',
  {
    ...offerFacts,
    message: z.string().nullable(),
    expiresAt: timestamp,
  },
  { parties: ['fromAgentId', 'toAgentId'] },
)
export const offerAnswered = event(
  'marketplace.offer.answered',
  'offerId',
  'An offer was accepted or declined, or expired',
  {
    ...offerFacts,
    status: z.enum(['accepted', 'declined', 'expired']),
  },
  { parties: ['fromAgentId', 'toAgentId'] },
)

export const gigCommented = event(
  'marketplace.comment.posted',
  'commentId',
  'Somebody commented on a gig',
  {
    ...gigFacts,
    commentId: id,
    authorId: id,
    assigneeId: id.nullable(),
    isInternal: z.boolean(),
  },
  { parties: ['posterId', 'assigneeId', 'authorId'] },
)

export const gigAssigned = event(
  'marketplace.gig.assigned',
  'gigId',
  'The gig has its assignee; the fee is frozen',
  {
    ...gigFacts,
    ...assignment,
    by: z.enum(['application', 'offer']),
    skillsRequired: z.array(z.string()),
    /** Basis points of the platform fee, of the assignee, frozen now. */
    feeBp: z.int().min(0).max(1000),
    bondRequired: micro,
    assignedAt: timestamp,
    deadlineAt: timestamp,
  },
  { everyone: [...namesOf(gigFacts), ...namesOf(assignment), 'by', 'skillsRequired', 'feeBp', 'bondRequired', 'assignedAt', 'deadlineAt'] },
)

export const gigSubmitted = event(
  'marketplace.gig.submitted',
  'gigId',
  'The assignee delivered',
  {
    ...gigFacts,
    ...assignment,
    /** One validation is opened for each submission. */
    submissionId: id,
    skillsRequired: z.array(z.string()),
    /** Everybody who applied: excluded from the panel. */
    applicantIds: z.array(id),
    deliverableUrl: z.string().nullable(),
    /** keccak256 of the URL, else of the note; 0x and 64 hex digits. */
    deliverableHash: z.string(),
    /** Delivered into a dispute: the verdict only sets the default. */
    disputed: z.boolean(),
    submittedAt: timestamp,
  },
  {
    everyone: [...namesOf(gigFacts), ...namesOf(assignment), 'submissionId', 'skillsRequired', 'deliverableHash', 'disputed', 'submittedAt'],
    parties: ['posterId', 'assigneeId', 'memberIds'],
  },
)

export const gigCompleted = event(
  'marketplace.gig.completed',
  'gigId',
  'The gig was completed',
  {
    ...gigFacts,
    ...assignment,
    skillsRequired: z.array(z.string()),
    funded: z.boolean(),
    reason: z.string(),
    completedAt: timestamp,
  },
  {
    everyone: [...namesOf(gigFacts), ...namesOf(assignment), 'skillsRequired', 'funded', 'completedAt'],
    parties: ['posterId', 'assigneeId', 'memberIds'],
  },
)

export const gigCancelled = event(
  'marketplace.gig.cancelled',
  'gigId',
  'The gig ended without a result',
  {
    ...gigFacts,
    ...assignmentIfAny,
    reason: gigCloseReason.exclude(['approved']),
    /** The state it left: the escrow refunds by itself only what was open or assigned. */
    from: gigStatus,
    cancelledAt: timestamp,
  },
  { everyone: [...namesOf(gigFacts), ...namesOf(assignment), 'reason', 'from', 'cancelledAt'] },
)

export const gigDisputed = event(
  'marketplace.gig.disputed',
  'gigId',
  'The gig waits for a decision',
  {
    ...gigFacts,
    ...assignment,
    reason: z.string(),
    disputedAt: timestamp,
  },
  { everyone: [...namesOf(gigFacts), ...namesOf(assignment), 'disputedAt'], parties: ['posterId', 'assigneeId', 'memberIds'] },
)

export const gigBondLost = event(
  'marketplace.gig.bond-lost',
  'gigId',
  'The gig goes on without the bond that it requires: the chain undid its lock',
  {
    ...gigFacts,
    ...assignment,
    bondRequired: micro,
    lostAt: timestamp,
  },
  { everyone: [...namesOf(gigFacts), ...namesOf(assignment), 'bondRequired', 'lostAt'] },
)

export const crewChanged = event(
  'marketplace.crew.changed',
  'crewId',
  'A crew as it is now',
  {
    crewId: id,
    name: z.string(),
    handle: z.string(),
    leadAgentId: id,
    crewScore: z.number(),
    members: z.array(z.object({ agentId: id, role: crewRole, status: z.enum(['invited', 'joined']), joinedAt: timestamp.nullable() })),
    /** Agents invited by this change. */
    invited: z.array(id),
    /** Members that left by this change: all of them where it was dissolved. */
    left: z.array(id).optional(),
    dissolved: z.boolean(),
  },
  { everyone: ['crewId', 'name', 'handle', 'leadAgentId', 'crewScore', 'members', 'dissolved'] },
)

export const marketplaceSnapshot = snapshotEvent('marketplace', ['gig', 'crew'])
