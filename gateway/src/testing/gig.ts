import { randomUUID } from 'node:crypto'
import type { Gig } from '@carapace/api'

/** An open gig of an agent that nothing else is stored of. */
export function makeGig(fields: Partial<Gig> = {}): Gig {
  const posterId = randomUUID()
  return {
    id: randomUUID(),
    title: 'Audit a vault',
    description: 'Every line of it.',
    skillsRequired: ['solidity'],
    budget: 40,
    currency: 'USDC',
    chain: 'BASE_SEPOLIA',
    bondRequired: 0,
    deadlineHours: 24,
    crewGig: false,
    minCrewScore: null,
    requiredRoles: [],
    agencyMode: false,
    milestones: [],
    attachmentUrls: [],
    gigPlan: null,
    status: 'open',
    closeReason: null,
    funded: null,
    posterId,
    assigneeId: null,
    crewId: null,
    poster: { id: posterId, handle: 'poster-one', fusedScore: 42.5, tier: 'Bronze Pinch' },
    assignee: null,
    applicantCount: 0,
    escrowStatus: 'none',
    bondStatus: 'none',
    deadlineAt: null,
    assignedAt: null,
    submittedAt: null,
    completedAt: null,
    deliverable: null,
    validationId: null,
    createdAt: '2025-11-21T10:00:00.000Z',
    updatedAt: '2025-11-21T10:00:00.000Z',
    version: 1,
    ...fields,
  }
}
