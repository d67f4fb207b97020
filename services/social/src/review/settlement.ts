import { dayMs, limits, refuse } from '@carapace/api'
import type { Decision } from '@carapace/store'

/** A paid gig or job: what its two parties may review. */
export interface Settlement {
  /** Of the gig or job. */
  id: string
  posterId: string
  assigneeId: string
  settledAt: Date
  /** The chain has reversed the payment: for good, or until it is paid again. */
  isReversed: boolean
  /** It will not be made again. */
  isReversedForGood?: boolean
  /** Of the gig's or job's event that says so last. */
  eventVersion: number
  /** Parties that have reviewed. */
  reviewerIds: string[]
}

type Parties = { reviewerId: string; revieweeId: string }

export const newSettlement = (facts: Pick<Settlement, 'id' | 'posterId' | 'assigneeId' | 'settledAt' | 'eventVersion'>): Decision<Settlement> => ({
  state: { ...facts, isReversed: false, reviewerIds: [] },
  events: [],
})

/** Undefined for an event that a later one has overtaken. */
export const correctSettlement = (
  settlement: Settlement,
  correction: Required<Pick<Settlement, 'isReversed' | 'isReversedForGood' | 'eventVersion'>>,
): Decision<Settlement> | undefined =>
  correction.eventVersion > settlement.eventVersion ? { state: { ...settlement, ...correction }, events: [] } : undefined

/** @throws NOT_PARTY */
export function needParties(
  { posterId, assigneeId }: { posterId: string | null; assigneeId: string | null },
  { reviewerId, revieweeId }: Parties,
): void {
  const parties = [posterId, assigneeId]
  if (!parties.includes(reviewerId) || !parties.includes(revieweeId)) refuse('NOT_PARTY')
}

/** @throws NOT_PARTY, INVALID_STATE, ALREADY_EXISTS, WINDOW_CLOSED */
export function addReviewer(settlement: Settlement, parties: Parties, now: Date): Decision<Settlement> {
  const { settledAt, isReversed, isReversedForGood = false, reviewerIds } = settlement
  const windowDays = limits.review.windowDays
  needParties(settlement, parties)
  if (isReversed && isReversedForGood) refuse('INVALID_STATE', { state: 'unpaid', allowed: ['paid'] }, { message: 'The payment was reversed' })
  if (isReversed)
    refuse('INVALID_STATE', { state: 'unpaid', allowed: ['paid'] }, { message: 'The payment was reversed and may be made again', retryable: true })
  if (reviewerIds.includes(parties.reviewerId)) refuse('ALREADY_EXISTS', undefined, { message: 'One review for each gig and reviewer' })
  if (now.getTime() - settledAt.getTime() > windowDays * dayMs)
    refuse('WINDOW_CLOSED', undefined, { message: `A review is written within ${windowDays} days after the settlement` })
  return { state: { ...settlement, reviewerIds: [...reviewerIds, parties.reviewerId] }, events: [] }
}

export const publishAt = ({ settledAt }: Settlement): Date => new Date(settledAt.getTime() + limits.review.hiddenDays * dayMs)
