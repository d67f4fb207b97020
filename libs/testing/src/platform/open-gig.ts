import { randomUUID } from 'node:crypto'
import type { GigRow } from '@carapace/api'

/** A gig that has just been posted, as the marketplace answers for it. @example openGig({ posterId: poster.id, budget: '40000000' }) */
export const openGig = (more: Partial<GigRow> = {}): GigRow => ({
  gigId: randomUUID(),
  gigTitle: 'Audit a vault',
  status: 'open',
  closeReason: null,
  posterId: randomUUID(),
  assigneeId: null,
  crewId: null,
  memberIds: [],
  applicantIds: [],
  budget: '40000000',
  bondRequired: '0',
  feeBp: null,
  chain: 'BASE_SEPOLIA',
  skillsRequired: [],
  deadlineHours: 48,
  assignedAt: null,
  deadlineAt: null,
  submissionId: null,
  submittedAt: null,
  deliverableUrl: null,
  deliverableHash: null,
  createdAt: new Date().toISOString(),
  version: 1,
  ...more,
})
