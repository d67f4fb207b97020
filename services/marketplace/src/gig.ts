import {
  applicationsClosed,
  type Chain,
  type Draft,
  dayMs,
  type GigStatus,
  gigCancelled,
  gigPosted,
  gigSubmitted,
  type RefusalExtras,
  refuse,
} from '@carapace/api'
import type { Decision } from '@carapace/store'
import { type GigTrigger, gigStates } from './gig-states.ts'

const applicantsPerEvent = 200

export type CloseReason = 'withdrawn' | 'expired' | 'deadline_missed' | 'rejected' | 'refunded' | 'approved'

/** The fields of a gig that its poster sets. */
export interface GigDraft {
  id: string
  posterId: string
  title: string
  description: string
  skillsRequired: string[]
  /** micro-USDC, as bondRequired */
  budget: bigint
  bondRequired: bigint
  chain: Chain
  deadlineHours: number
  crewGig: boolean
  minCrewScore: number | null
  requiredRoles: string[]
  agencyMode: boolean
  milestones: string[]
  attachmentUrls: string[]
  gigPlan: string | null
}

export interface Gig extends GigDraft {
  status: GigStatus
  closeReason: CloseReason | null
  funded: boolean | null
  assigneeId: string | null
  crewId: string | null
  memberIds: string[]
  applicantIds: string[]
  /** Poster and assignee, derived by the store for queries. */
  partyIds?: string[]
  feeBp: number | null
  escrowStatus: 'none' | 'locked' | 'released' | 'refunded' | 'disputed'
  /** Version of the escrow that escrowStatus is of, so that a late event never replaces a newer status. */
  escrowAsOf: number
  /** The latest known locks that agents have, or had, for this gig. */
  bondLocks: BondLock[]
  /** Agents whose acceptance was abandoned because their bond lock came too late: it can assign them no more. */
  givenUp: string[]
  /** An acceptance that waits for its bond lock. */
  acceptance: Acceptance | null
  /** The application or offer whose acceptance is the assignment: a retry of that acceptance finds it done. */
  acceptedId: string | null
  createdOn: Date
  assignedAt: Date | null
  deadlineAt: Date | null
  submissionId: string | null
  submittedAt: Date | null
  deliverable: { url: string | null; note: string | null; hash: string } | null
  validationId: string | null
  /** The present validators: they may read the deliverable. */
  panelIds: string[]
  /** Of the latest known panel, so that a late or repeated event never restores an older one. */
  panelAsOf: PanelStamp | null
  completedAt: Date | null
  /** When time alone moves it on; null in final states and where another service's timers rule. */
  dueAt: Date | null
}

export interface BondLock {
  agentId: string
  isLocked: boolean
  /** Version of the agent's bond that this is of. */
  version: number
}

export interface PanelStamp {
  /** 1 and 2 are the rounds, 3 is the appeal: a gig's validations follow each other in this order. */
  stage: number
  /** Version of the validation itself. */
  version: number
}

export interface Assignee {
  agentId: string
  crewId: string | null
  memberIds: string[]
}
export interface Accepted {
  by: 'application' | 'offer'
  /** of the application or offer */
  id: string
}
export interface Acceptance extends Assignee, Accepted {
  feeBp: number
  at: Date
  /** When the lock is requested again; absent before the first time. */
  requestAt?: Date
}

export const openForMs = 30 * dayMs
export const graceAfterDeadlineMs = dayMs

/** The gig after a transition, with the events of it. @throws INVALID_STATE when the table has no such transition */
export function move(gig: Gig, trigger: GigTrigger, changes: Partial<Gig>, events: (moved: Gig) => Draft[]): Decision<Gig> {
  const moved = { ...gig, ...changes, status: gigStates.move(gig.status, trigger, gig) }
  return { state: moved, events: events(moved) }
}

export const facts = (gig: Gig) => ({ gigId: gig.id, gigTitle: gig.title, posterId: gig.posterId, budget: gig.budget, chain: gig.chain })
export const assigneeFacts = (gig: Gig) => ({ assigneeId: gig.assigneeId!, crewId: gig.crewId, memberIds: gig.memberIds })

export function post(draft: GigDraft, now: Date): Decision<Gig> {
  const gig: Gig = {
    ...draft,
    status: gigStates.initial,
    closeReason: null,
    funded: null,
    assigneeId: null,
    crewId: null,
    memberIds: [],
    applicantIds: [],
    feeBp: null,
    escrowStatus: 'none',
    escrowAsOf: 0,
    bondLocks: [],
    givenUp: [],
    acceptance: null,
    acceptedId: null,
    createdOn: now,
    assignedAt: null,
    deadlineAt: null,
    submissionId: null,
    submittedAt: null,
    deliverable: null,
    validationId: null,
    panelIds: [],
    panelAsOf: null,
    completedAt: null,
    dueAt: new Date(now.getTime() + openForMs),
  }
  const { status, skillsRequired, bondRequired, deadlineHours, crewGig } = gig
  return {
    state: gig,
    events: [gigPosted.of({ ...facts(gig), status, skillsRequired, bondRequired, deadlineHours, crewGig, createdAt: now.toISOString() })],
  }
}

/** @throws INVALID_STATE when the gig is not open for an assignment */
export function needOpen(gig: Gig): void {
  gigStates.move(gig.status, 'assign')
}

/** Extras of a refusal: retryable while the bond lock of the acceptance that would make it succeed is being confirmed. */
export function retryableWhileHired(gig: Gig, agentId?: string): Pick<RefusalExtras, 'retryable'> {
  const hired = gig.status === 'open' ? gig.acceptance : null
  return hired && (agentId === undefined || hired.agentId === agentId || hired.memberIds.includes(agentId)) ? { retryable: true } : {}
}

export interface Delivery {
  submissionId: string
  url: string | null
  note: string | null
  /** keccak256 of the URL, else of the note */
  hash: string
}

/** Delivers, once. Into a dispute that began before the delivery too: the verdict then only sets the default. */
export function submit(gig: Gig, caller: string, { submissionId, ...deliverable }: Delivery, now: Date): Decision<Gig> {
  if (gig.assigneeId !== caller) refuse('NOT_ASSIGNEE', undefined, retryableWhileHired(gig, caller))
  const intoDispute = gigStates.next(gig.status, 'submitInDispute', gig) !== undefined
  if (gig.status === 'assigned' || intoDispute) {
    if (now.getTime() > gig.deadlineAt!.getTime() + graceAfterDeadlineMs) refuse('WINDOW_CLOSED', { deadlineAt: gig.deadlineAt!.toISOString() })
  }
  const changes = { submissionId, submittedAt: now, deliverable, dueAt: null }
  const submitted = (moved: Gig) => [
    gigSubmitted.of({
      ...facts(moved),
      ...assigneeFacts(moved),
      submissionId,
      skillsRequired: moved.skillsRequired,
      applicantIds: moved.applicantIds,
      deliverableUrl: deliverable.url,
      deliverableHash: deliverable.hash,
      disputed: intoDispute,
      submittedAt: now.toISOString(),
    }),
  ]
  return move(gig, intoDispute ? 'submitInDispute' : 'submit', changes, submitted)
}

export function withdraw(gig: Gig, caller: string, now: Date): Decision<Gig> {
  if (gig.posterId !== caller) refuse('NOT_POSTER')
  return close(gig, 'withdraw', 'withdrawn', now)
}

/** Its poster has lost its wallet to the owner of it. Undefined when the gig is not open any more. */
export function closeReclaimed(gig: Gig, now: Date): Decision<Gig> | undefined {
  return gigStates.next(gig.status, 'withdraw') ? close(gig, 'withdraw', 'withdrawn', now) : undefined
}

/** Transitions by time alone: an open gig expires, an assigned one misses its deadline. */
export function expireDue(gig: Gig, now: Date): Decision<Gig> | undefined {
  if (gig.dueAt === null || gig.dueAt > now) return undefined
  if (gig.status === 'open') return close(gig, 'expire', 'expired', now)
  if (gig.status === 'assigned') return close(gig, 'miss', 'deadline_missed', now)
  return undefined
}

export function close(gig: Gig, trigger: GigTrigger, reason: Exclude<CloseReason, 'approved'>, now: Date): Decision<Gig> {
  return move(gig, trigger, { closeReason: reason, dueAt: null, acceptance: null }, moved => [
    gigCancelled.of({
      ...facts(moved),
      assigneeId: moved.assigneeId,
      crewId: moved.crewId,
      memberIds: moved.memberIds,
      reason,
      from: gig.status,
      cancelledAt: now.toISOString(),
    }),
    ...closedApplications(
      moved,
      moved.applicantIds.filter(id => id !== moved.assigneeId),
      reason,
      now,
    ),
  ])
}

/** Notifies the applicants that were not chosen. A popular gig has many, so each event names a few. */
export function closedApplications(gig: Gig, applicantIds: readonly string[], reason: Exclude<CloseReason, 'approved'>, at: Date): Draft[] {
  const pages = Math.ceil(applicantIds.length / applicantsPerEvent)
  return Array.from({ length: pages }, (_, page) =>
    applicationsClosed.of({
      ...facts(gig),
      applicantIds: applicantIds.slice(page * applicantsPerEvent, (page + 1) * applicantsPerEvent),
      reason,
      closedAt: at.toISOString(),
    }),
  )
}
