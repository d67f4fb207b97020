import type * as api from '@carapace/api'
import { usd } from '@carapace/api'
import type { AgentRef } from '@carapace/projections'
import type { Stored } from '@carapace/store'
import type { Application } from './application/application.store.ts'
import { bondStatusOf } from './bond-locks.ts'
import type { Gig } from './gig.ts'
import type { Offer } from './offer/offer.store.ts'

type Refs = (id: string) => AgentRef
const iso = (date: Date | null) => date?.toISOString() ?? null

/** The reader of a gig: some fields are only for its parties. */
export interface Viewer {
  agentId?: string | undefined
  isOracle?: boolean
  /** On a panel that judges this gig. */
  isValidator?: boolean
}

export function gigView(gig: Stored<Gig>, refs: Refs, viewer: Viewer = {}): api.Gig {
  const isParty =
    viewer.agentId !== undefined && (viewer.agentId === gig.posterId || viewer.agentId === gig.assigneeId || gig.memberIds.includes(viewer.agentId))
  const seesDeliverable = isParty || viewer.isOracle || viewer.isValidator
  return {
    id: gig.id,
    title: gig.title,
    description: gig.description,
    skillsRequired: gig.skillsRequired,
    budget: usd(gig.budget),
    currency: 'USDC',
    chain: gig.chain,
    bondRequired: usd(gig.bondRequired),
    deadlineHours: gig.deadlineHours,
    crewGig: gig.crewGig,
    minCrewScore: gig.minCrewScore,
    requiredRoles: gig.requiredRoles as api.Gig['requiredRoles'],
    agencyMode: gig.agencyMode,
    milestones: gig.milestones,
    attachmentUrls: gig.attachmentUrls,
    gigPlan: isParty ? gig.gigPlan : null,
    status: gig.status,
    closeReason: gig.closeReason,
    funded: gig.funded,
    posterId: gig.posterId,
    assigneeId: gig.assigneeId,
    crewId: gig.crewId,
    poster: refs(gig.posterId) as api.Gig['poster'],
    assignee: gig.assigneeId === null ? null : (refs(gig.assigneeId) as api.Gig['poster']),
    applicantCount: gig.applicantIds.length,
    escrowStatus: gig.escrowStatus,
    bondStatus: bondStatusOf(gig),
    deadlineAt: iso(gig.deadlineAt),
    assignedAt: iso(gig.assignedAt),
    submittedAt: iso(gig.submittedAt),
    completedAt: iso(gig.completedAt),
    deliverable: seesDeliverable && gig.deliverable ? { url: gig.deliverable.url, note: gig.deliverable.note } : null,
    validationId: gig.validationId,
    createdAt: gig.createdAt.toISOString(),
    updatedAt: gig.updatedAt.toISOString(),
    version: gig.version,
  }
}

export const applicationView = ({ id, gigId, agentId, crewId, proposal, status, createdAt }: Stored<Application>): api.Application => ({
  id,
  gigId,
  agentId,
  crewId,
  proposal,
  status,
  createdAt: createdAt.toISOString(),
})

export const offerView = (offer: Stored<Offer>): api.Offer => ({
  id: offer.id,
  gigId: offer.gigId,
  fromAgentId: offer.fromAgentId,
  toAgentId: offer.toAgentId,
  message: offer.message,
  status: offer.status,
  expiresAt: offer.expiresAt.toISOString(),
  createdAt: offer.createdAt.toISOString(),
  respondedAt: iso(offer.respondedAt),
})

/** The facts of a gig that other services project. */
export const gigRow = (gig: Stored<Gig>): api.GigRow => ({
  gigId: gig.id,
  gigTitle: gig.title,
  status: gig.status,
  closeReason: gig.closeReason,
  posterId: gig.posterId,
  assigneeId: gig.assigneeId,
  crewId: gig.crewId,
  memberIds: gig.memberIds,
  applicantIds: gig.applicantIds,
  budget: String(gig.budget),
  bondRequired: String(gig.bondRequired),
  feeBp: gig.feeBp,
  chain: gig.chain,
  skillsRequired: gig.skillsRequired,
  deadlineHours: gig.deadlineHours,
  assignedAt: iso(gig.assignedAt),
  deadlineAt: iso(gig.deadlineAt),
  submissionId: gig.submissionId,
  submittedAt: iso(gig.submittedAt),
  deliverableUrl: gig.deliverable?.url ?? null,
  deliverableHash: gig.deliverable?.hash ?? null,
  createdAt: gig.createdAt.toISOString(),
  version: gig.version,
})
