import { commerceApi, escrowApi, marketplaceApi, refuse } from '@carapace/api'
import type { Stored } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import { commit } from '../commit.ts'
import type { Parts } from '../parts.ts'
import { newReview, publish, type Review, type ReviewDraft } from './review.ts'
import { reviewStates } from './review-states.ts'
import { addReviewer, needParties, newSettlement, publishAt, type Settlement } from './settlement.ts'

/** States of an escrow from which the event of the settlement follows. */
const settling: ReadonlySet<string> = new Set(['releasing', 'released'])

/**
 * Stores the review of an operation once. It is visible immediately when the other side has written, and that of the other with it, or when time
 * hides nothing any more.
 * @throws SELF_ACTION, NOT_FOUND, NOT_PARTY, INVALID_STATE, ALREADY_EXISTS, WINDOW_CLOSED
 */
export async function writeReview(parts: Parts, draft: ReviewDraft): Promise<Stored<Review>> {
  const earlier = await parts.reviews.get(draft.id)
  if (earlier) return earlier
  if (draft.reviewerId === draft.revieweeId) refuse('SELF_ACTION')
  if (!(await parts.settlements.get(draft.gigId))) await recordPastSettlement(parts, draft)
  return commit(parts, draft.gigId, async session => {
    const now = parts.clock.now()
    // both reviews of a gig write this document: of two at the same time, the later one finds the other
    const settlement = await parts.settlements.change(draft.gigId, present => addReviewer(present, draft, now), { session })
    const review = newReview(draft, publishAt(settlement), now)
    const isLate = review.publishAt <= now
    const isMutual = settlement.reviewerIds.includes(draft.revieweeId)
    const published = isMutual || isLate ? publish(review, isMutual ? 'publish' : 'expire', now) : undefined
    const { state, events } = published ?? { state: review, events: [] }
    const written = await parts.reviews.create(state, events, { session })
    if (published) await count(parts, written, session)
    const other = isMutual ? await parts.reviews.by(draft.gigId, draft.revieweeId) : undefined
    if (other) await publishIn(parts, other, 'publish', session)
    return written
  })
}

/** Publishes a review that time has made visible. */
export const publishByTime = (parts: Parts, review: Stored<Review>): Promise<void> =>
  commit(parts, review.gigId, session => publishIn(parts, review, 'expire', session))

async function publishIn(parts: Parts, { id }: Review, trigger: 'publish' | 'expire', session: ClientSession): Promise<void> {
  let wasHidden = false
  const decide = (present: Review) => {
    wasHidden = present.status === reviewStates.initial
    return publish(present, trigger, parts.clock.now())
  }
  const review = await parts.reviews.change(id, decide, { session })
  if (wasHidden) await count(parts, review, session)
}

const count = ({ figures }: Parts, { revieweeId, rating }: Review, session: ClientSession) =>
  figures.add(revieweeId, { reviews: 1, ratingSum: rating }, session)

/**
 * What was paid before this service consumed events, or what is paid now and its event is still to come: its owners have it. An event that comes later
 * finds it recorded.
 * @throws NOT_FOUND, NOT_PARTY, and INVALID_STATE for what is not paid
 */
async function recordPastSettlement(parts: Parts, draft: ReviewDraft): Promise<void> {
  const paid = (await paidGig(parts, draft)) ?? (await paidJob(parts, draft))
  const { settledAt, version: eventVersion, ...parties } = paid
  await parts.settlements.createOnce(draft.gigId, () => newSettlement({ id: draft.gigId, ...parties, settledAt: new Date(settledAt), eventVersion }))
}

type Paid = Pick<Settlement, 'posterId' | 'assigneeId'> & { settledAt: string; version: number }

/** Undefined when there is no such gig. */
async function paidGig({ peers }: Parts, draft: ReviewDraft): Promise<Paid | undefined> {
  const gig = await peers.find('marketplace', marketplaceApi.internal.getGigRow, { params: { id: draft.gigId } })
  if (!gig) return undefined
  needParties(gig, draft)
  const escrow = await peers.find('escrow', escrowApi.internal.getEscrowRow, { params: { gigId: draft.gigId } })
  if (escrow?.settledAt && escrow.assigneeId !== null)
    return { posterId: escrow.posterId, assigneeId: escrow.assigneeId, settledAt: escrow.settledAt, version: escrow.version }
  const isSettling = escrow !== undefined && settling.has(escrow.status)
  return refuse(
    'INVALID_STATE',
    { state: gig.status, allowed: ['completed'] },
    {
      message: isSettling ? 'The payment of the gig is being recorded; try again' : 'A gig is reviewed once it is paid',
      ...(isSettling ? { retryable: true } : {}),
    },
  )
}

async function paidJob({ peers }: Parts, draft: ReviewDraft): Promise<Paid> {
  const job = await peers.find('commerce', commerceApi.internal.getJobRow, { params: { id: draft.gigId } })
  if (!job) return refuse('NOT_FOUND', { resource: 'gig' })
  needParties(job, draft)
  const { posterId, assigneeId, settledAt, version, status, isBeingPaid } = job
  if (settledAt !== null && posterId !== null && assigneeId !== null) return { posterId, assigneeId, settledAt, version }
  return refuse(
    'INVALID_STATE',
    { state: status, allowed: ['settled'] },
    isBeingPaid ? { message: 'The job is being paid; try again', retryable: true } : { message: 'A job is reviewed once it is paid' },
  )
}
