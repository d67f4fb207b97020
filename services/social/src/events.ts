import * as api from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import { onOfferAnswered } from './message/hire.ts'
import type { Parts } from './parts.ts'
import { correctSettlement, newSettlement } from './review/settlement.ts'

export const events = (parts: Parts): Subscription[] => {
  type Paid = { id: string; posterId: string; assigneeId: string; settledAt: string }
  const settled = async ({ settledAt, ...paid }: Paid, { aggregateversion: eventVersion }: api.CloudEvent) => {
    await parts.settlements.createOnce(paid.id, () => newSettlement({ ...paid, settledAt: new Date(settledAt), eventVersion }))
    await parts.settlements.change(paid.id, present => correctSettlement(present, { isReversed: false, isReversedForGood: false, eventVersion }))
  }
  type Corrected = Parameters<typeof api.paymentCorrection>[0] & Record<'posterId' | 'assigneeId' | 'settledAt', string | null> & { id: string }
  const corrected = async ({ id, posterId, assigneeId, settledAt, ...state }: Corrected, event: api.CloudEvent) => {
    const correction = api.paymentCorrection(state)
    if (correction === undefined || posterId === null || assigneeId === null) return
    const paid = { id, posterId, assigneeId, settledAt: settledAt ?? event.time }
    if (correction === 'paidAgain') return settled(paid, event)
    // A reversal of what was paid before this service consumed events, or of a payment whose event comes later: the record says so from the start.
    await parts.settlements.createOnce(id, () => newSettlement({ ...paid, settledAt: new Date(event.time), eventVersion: 0 }))
    const reversal = { isReversed: true, isReversedForGood: correction === 'lost', eventVersion: event.aggregateversion }
    await parts.settlements.change(id, present => correctSettlement(present, reversal))
  }

  return [
    on(api.offerAnswered, ({ offerId, status }) => onOfferAnswered(parts, offerId, status)),
    on(api.escrowReleased, ({ gigId: id, posterId, assigneeId, settledAt }, event) => settled({ id, posterId, assigneeId, settledAt }, event)),
    on(api.escrowRestated, ({ gigId: id, ...gig }, event) => corrected({ ...gig, id }, event)),
    on(api.jobSettled, ({ jobId: id, posterId, assigneeId, at }, event) => settled({ id, posterId, assigneeId, settledAt: at }, event)),
    on(api.jobCorrected, ({ jobId: id, at, ...job }, event) => corrected({ ...job, id, settledAt: at }, event)),
  ]
}
