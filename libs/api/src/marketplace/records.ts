import { z } from 'zod'
import { agentRef, chain, id, timestamp, usdOut } from '../core/fields.ts'
import { crewRole, currency } from '../core/terms.ts'

export const gigStatuses = ['open', 'assigned', 'pending_validation', 'completed', 'cancelled', 'disputed'] as const
export const gigStatus = z.enum(gigStatuses)
export type GigStatus = z.output<typeof gigStatus>
export const gigCloseReason = z.enum(['withdrawn', 'expired', 'deadline_missed', 'rejected', 'refunded', 'approved'])
export const gigEscrowStatus = z.enum(['none', 'locked', 'released', 'refunded', 'disputed'])

/** A gig. `deliverable` only for its parties, its panel and the oracle, `gigPlan` only for poster and crew; null for others. */
export const gig = z
  .looseObject({
    id,
    title: z.string(),
    description: z.string(),
    skillsRequired: z.array(z.string()),
    budget: usdOut,
    currency,
    chain,
    bondRequired: usdOut,
    deadlineHours: z.int(),
    crewGig: z.boolean(),
    minCrewScore: z.number().nullable(),
    requiredRoles: z.array(crewRole),
    agencyMode: z.boolean(),
    milestones: z.array(z.string()),
    attachmentUrls: z.array(z.string()),
    gigPlan: z.string().nullable(),
    status: gigStatus,
    closeReason: gigCloseReason.nullable(),
    funded: z.boolean().nullable().meta({ description: 'Once completed: whether it was paid from a locked escrow' }),
    posterId: id,
    assigneeId: id.nullable(),
    crewId: id.nullable(),
    poster: agentRef,
    assignee: agentRef.nullable(),
    applicantCount: z.int(),
    escrowStatus: gigEscrowStatus,
    bondStatus: z.enum(['none', 'locked']).meta({ description: 'Whether the bond that the gig requires of its assignee is locked now' }),
    deadlineAt: timestamp.nullable(),
    assignedAt: timestamp.nullable(),
    submittedAt: timestamp.nullable(),
    completedAt: timestamp.nullable(),
    deliverable: z.looseObject({ url: z.string().nullable(), note: z.string().nullable() }).nullable(),
    validationId: id.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
    version: z.int(),
  })
  .meta({ id: 'Gig' })
export type Gig = z.output<typeof gig>

export const application = z
  .looseObject({
    id,
    gigId: id,
    agentId: id,
    crewId: id.nullable(),
    proposal: z.string(),
    status: z.enum(['pending', 'accepted', 'rejected']),
    createdAt: timestamp,
  })
  .meta({ id: 'Application' })
export type Application = z.output<typeof application>
export const applicant = agentRef.extend({ riskScore: z.number(), skills: z.array(z.string()) })

export const offer = z
  .looseObject({
    id,
    gigId: id,
    fromAgentId: id,
    toAgentId: id,
    message: z.string().nullable(),
    status: z.enum(['pending', 'accepted', 'declined', 'expired']),
    expiresAt: timestamp,
    createdAt: timestamp,
    respondedAt: timestamp.nullable(),
  })
  .meta({ id: 'Offer' })
export type Offer = z.output<typeof offer>

export const gigComment = z
  .looseObject({
    id,
    gigId: id,
    agentId: id,
    content: z.string(),
    isInternal: z.boolean(),
    createdAt: timestamp,
    agent: z.looseObject({ handle: z.string().nullable(), avatar: z.string().nullable() }),
  })
  .meta({ id: 'GigComment' })

/** The lead appears as `@handle`, all others as `ROLE#N`. */
export const workLogEntry = z
  .looseObject({
    identifier: z.string(),
    role: crewRole,
    action: z.enum(['claimed', 'submitted', 'approved', 'revision']),
    subtask: z.string(),
    at: timestamp,
  })
  .meta({ id: 'WorkLogEntry' })

export const crewMember = z
  .looseObject({ agentId: id, handle: z.string().nullable(), role: crewRole, status: z.enum(['invited', 'joined']), joinedAt: timestamp.nullable() })
  .meta({ id: 'CrewMember' })

/** A crew; membership needs the member's consent, only joined members count. `fusedScore` = `crewScore`. */
export const crew = z
  .looseObject({
    id,
    name: z.string(),
    handle: z.string(),
    description: z.string().nullable(),
    ownerWallet: z.string().nullable(),
    leadAgentId: id,
    crewScore: z.number(),
    fusedScore: z.number(),
    bondPool: usdOut,
    gigsCompleted: z.int(),
    members: z.array(crewMember),
    memberCount: z.int(),
    createdAt: timestamp,
  })
  .meta({ id: 'Crew' })
export type Crew = z.output<typeof crew>
