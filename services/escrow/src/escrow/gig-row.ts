import { type GigRow, marketplaceApi } from '@carapace/api'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { recordFact } from './change-escrow.ts'
import type { Assignment, Escrow, GigTerms } from './escrow.ts'

/** Ends that the marketplace decides by itself, before a delivery; all others follow from a decision of the escrow. */
const ownEnds: readonly GigRow['closeReason'][] = ['withdrawn', 'expired', 'deadline_missed']

/** The terms of an escrow, as the marketplace's own row of its gig has them. */
export const termsOf = ({ gigId, gigTitle, posterId, budget, chain, skillsRequired }: GigRow): GigTerms => ({
  gigId,
  gigTitle,
  posterId,
  amount: BigInt(budget),
  chain,
  skillsRequired,
})

/** The assignment as the marketplace's own row has it; undefined while there is none. @throws DEPENDENCY_UNAVAILABLE */
export async function assignmentOf({ agents }: Parts, gig: GigRow): Promise<Assignment | undefined> {
  if (gig.assigneeId === null || gig.feeBp === null) return undefined
  const { wallet } = await agents.need(gig.assigneeId)
  if (wallet === null) return undefined
  return { assigneeId: gig.assigneeId, wallet, crewId: gig.crewId, feeBp: gig.feeBp, deadlineAt: new Date(gig.deadlineAt!) }
}

/** Whether the marketplace can report nothing more: who works on the gig, and that it was delivered or has ended before. */
export const knowsGig = ({ assignment, delivery, cancelled }: Escrow): boolean => cancelled !== null || (assignment !== null && delivery !== null)

/**
 * Records what the marketplace's own row of a gig reports and the escrow does not know: no assignment, delivery or cancellation rests on one message.
 * @returns the escrow by then; undefined where there is no such gig
 * @throws DEPENDENCY_UNAVAILABLE
 */
export async function readGig(parts: Parts, gigId: string): Promise<Stored<Escrow> | undefined> {
  const gig = await parts.peers.find('marketplace', marketplaceApi.internal.getGigRow, { params: { id: gigId } })
  if (!gig) return undefined
  const assignment = await assignmentOf(parts, gig)
  const now = parts.clock.now()
  return recordFact(parts, termsOf(gig), escrow => {
    const fresh = { ...deliveryIn(gig, escrow), ...endIn(gig, escrow, now), ...(assignment && !escrow.assignment ? { assignment } : {}) }
    return Object.keys(fresh).length > 0 ? fresh : undefined
  })
}

const deliveryIn = ({ submissionId, submittedAt, deliverableUrl: url }: GigRow, { delivery }: Escrow): Partial<Escrow> =>
  delivery || submissionId === null || submittedAt === null ? {} : { delivery: { submissionId, url, at: new Date(submittedAt) } }

function endIn({ status, closeReason, submissionId }: GigRow, { cancelled, settlement }: Escrow, now: Date): Partial<Escrow> {
  if (cancelled || settlement || status !== 'cancelled' || submissionId !== null || !ownEnds.includes(closeReason)) return {}
  return { cancelled: { reason: closeReason!, at: now } }
}
