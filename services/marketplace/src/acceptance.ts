import { gigAssigned, hourMs, refuse } from '@carapace/api'
import type { Decision } from '@carapace/store'
import { withConfirmedLock } from './bond-locks.ts'
import { type Acceptance, closedApplications, facts, type Gig, graceAfterDeadlineMs, move, needOpen, who } from './gig.ts'

/** Notes who has applied: applicants are never asked to judge. One who applied while the gig was being cancelled is notified now. */
export function addApplicant(gig: Gig, agentId: string, now: Date): Decision<Gig> | undefined {
  const { status, closeReason, applicantIds } = gig
  if (applicantIds.includes(agentId)) return undefined
  const isLate = status === 'cancelled' && closeReason !== null && closeReason !== 'approved'
  return { state: { ...gig, applicantIds: [...applicantIds, agentId] }, events: isLate ? closedApplications(gig, [agentId], closeReason, now) : [] }
}

/** Notes an acceptance whose bond lock is still to be confirmed. A newer one replaces an older: the older's lock is undone in time. */
export function awaitBond(gig: Gig, acceptance: Acceptance): Decision<Gig> {
  needOpen(gig)
  return { state: { ...gig, acceptance, givenUp: gig.givenUp.filter(id => id !== acceptance.agentId) }, events: [] }
}

/** The lock that an acceptance waited for is refused: it was none, unless another has taken its place. */
export function dropAcceptance(gig: Gig, id: string): Decision<Gig> | undefined {
  return gig.acceptance?.id === id ? { state: { ...gig, acceptance: null }, events: [] } : undefined
}

/** The lock has failed on chain: whatever waited for it is none. An acceptance that came after the failure waits for a lock of its own. */
export function bondFailed(gig: Gig, agentId: string, at: Date): Decision<Gig> | undefined {
  const { acceptance } = gig
  return acceptance?.agentId === agentId && acceptance.at <= at ? dropAcceptance(gig, acceptance.id) : undefined
}

/** The answer to the escrow about a lock that stands without an assignment: final, since giving up is written here too. */
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
      ...who(moved),
      by,
      skillsRequired: moved.skillsRequired,
      feeBp,
      bondRequired: moved.bondRequired,
      assignedAt: now.toISOString(),
      deadlineAt: deadlineAt.toISOString(),
    }),
  ])
}
