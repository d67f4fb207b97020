import { gigAssigned, hourMs, refuse } from '@carapace/api'
import type { Decision } from '@carapace/store'
import { withConfirmedLock } from './bond-locks.ts'
import { type Acceptance, assigneeFacts, closedApplications, facts, type Gig, graceAfterDeadlineMs, move, needOpen } from './gig.ts'

/** Longer than the first call lasts: the lock is requested again after it, then with a pause. */
export const firstRequestMs = 12_000
const requestAgainMs = 30_000
const maxWaitMs = 15 * 60_000

export const isOverdue = ({ at }: Acceptance, now: Date): boolean => now.getTime() - at.getTime() >= maxWaitMs

/** Records an applicant: applicants never judge the gig. One who applied while the gig was being cancelled is notified now. */
export function addApplicant(gig: Gig, agentId: string, now: Date): Decision<Gig> | undefined {
  const { status, closeReason, applicantIds } = gig
  if (applicantIds.includes(agentId)) return undefined
  const isLate = status === 'cancelled' && closeReason !== null && closeReason !== 'approved'
  return { state: { ...gig, applicantIds: [...applicantIds, agentId] }, events: isLate ? closedApplications(gig, [agentId], closeReason, now) : [] }
}

/** Records an acceptance whose bond lock is not confirmed yet. A newer one replaces an older, whose lock is then released. */
export function awaitBond(gig: Gig, acceptance: Acceptance): Decision<Gig> {
  needOpen(gig)
  return { state: { ...gig, acceptance, givenUp: gig.givenUp.filter(id => id !== acceptance.agentId) }, events: [] }
}

/** The escrow refuses the lock that an acceptance waits for: the acceptance ends, unless another has replaced it. */
export function dropAcceptance(gig: Gig, id: string): Decision<Gig> | undefined {
  return gig.acceptance?.id === id ? { state: { ...gig, acceptance: null }, events: [] } : undefined
}

/** The lock was requested again: the next request waits. */
export function lockRequestedAgain(gig: Gig, id: string, now: Date): Decision<Gig> | undefined {
  const { acceptance } = gig
  if (acceptance?.id !== id) return undefined
  return { state: { ...gig, acceptance: { ...acceptance, requestAt: new Date(now.getTime() + requestAgainMs) } }, events: [] }
}

/** The acceptance that has waited for its lock too long is abandoned for good; the escrow reverses a lock that still comes. */
export function abandonAcceptance(gig: Gig, id: string): Decision<Gig> | undefined {
  return gig.acceptance?.id === id ? settleAcceptance(gig, gig.acceptance.agentId) : undefined
}

/** The lock is confirmed: the acceptance that waits for it becomes the assignment, unless it has ended or another has replaced it. */
export function assignAccepted(gig: Gig, id: string, now: Date): Decision<Gig> | undefined {
  return gig.status === 'open' && gig.acceptance?.id === id ? assign(gig, gig.acceptance, now) : undefined
}

/** The lock has failed on chain: the acceptance that waited for it ends. One made after the failure waits for its own lock. */
export function bondFailed(gig: Gig, agentId: string, at: Date): Decision<Gig> | undefined {
  const { acceptance } = gig
  return acceptance?.agentId === agentId && acceptance.at <= at ? dropAcceptance(gig, acceptance.id) : undefined
}

/** Answers the escrow about a lock without an assignment. The answer is final, because the abandoned acceptance is stored with the gig. */
export function settleAcceptance(gig: Gig, agentId: string): Decision<Gig> | undefined {
  if (gig.assigneeId === agentId || gig.givenUp.includes(agentId)) return undefined
  return {
    state: { ...gig, acceptance: gig.acceptance?.agentId === agentId ? null : gig.acceptance, givenUp: [...gig.givenUp, agentId] },
    events: [],
  }
}

export function assign(gig: Gig, { agentId, crewId, memberIds, by, id, feeBp }: Acceptance, now: Date): Decision<Gig> {
  if (gig.givenUp.includes(agentId)) refuse('CONFLICT', undefined, { message: 'This acceptance was given up; accept the applicant again' })
  const deadlineAt = new Date(now.getTime() + gig.deadlineHours * hourMs)
  const changes = {
    assigneeId: agentId,
    crewId,
    memberIds,
    feeBp,
    acceptance: null,
    acceptedId: id,
    assignedAt: now,
    deadlineAt,
    dueAt: new Date(deadlineAt.getTime() + graceAfterDeadlineMs),
  }
  return move(withConfirmedLock(gig, agentId), 'assign', changes, moved => [
    gigAssigned.of({
      ...facts(moved),
      ...assigneeFacts(moved),
      by,
      skillsRequired: moved.skillsRequired,
      feeBp,
      bondRequired: moved.bondRequired,
      assignedAt: now.toISOString(),
      deadlineAt: deadlineAt.toISOString(),
    }),
  ])
}
