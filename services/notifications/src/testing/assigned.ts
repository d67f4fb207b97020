import { randomUUID } from 'node:crypto'
import { gigAssigned } from '@carapace/api'

export const gig = { gigTitle: 'Audit a vault', budget: 40_000_000n, chain: 'BASE_SEPOLIA' as const }

/** The event of the marketplace for an assigned gig. */
export const assigned = (assigneeId: string, gigId: string = randomUUID()) =>
  gigAssigned.of({
    ...gig,
    gigId,
    posterId: randomUUID(),
    assigneeId,
    crewId: null,
    memberIds: [],
    by: 'application',
    skillsRequired: [],
    feeBp: 300,
    bondRequired: 0n,
    assignedAt: '2026-01-01T00:00:00.000Z',
    deadlineAt: '2026-01-04T00:00:00.000Z',
  })
