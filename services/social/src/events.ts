import * as api from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import { onOfferAnswered } from './message/hire.ts'
import type { Parts } from './parts.ts'
import { correctSettlement, newSettlement } from './review/settlement.ts'

/** States of an escrow or a job from which a payment that was reversed is made again. */
const payable: ReadonlySet<string> = new Set(['locked', 'submitted', 'disputed'])

export const events = (parts: Parts): Subscription[] => {
  type Reversed = { id: string; posterId: string | null; assigneeId: string | null; status: string }
  type Paid = { id: string; posterId: string; assigneeId: string; settledAt: string }
  const settled = async ({ settledAt, ...paid }: Paid, { aggregateversion: eventVersion }: api.CloudEvent) => {
    await parts.settlements.createOnce(paid.id, () => newSettlement({ ...paid, settledAt: new Date(settledAt), eventVersion }))
    await parts.settlements.change(paid.id, present => correctSettlement(present, { isReversed: false, isReversedForGood: false, eventVersion }))
  }
  // A reversal of what was paid before this service consumed events, or of a payment whose event comes later: the record says so from the start.
  const reversed = async ({ id, posterId, assigneeId, status }: Reversed, { aggregateversion: eventVersion, time }: api.CloudEvent) => {
    if (posterId === null || assigneeId === null) return
    await parts.settlements.createOnce(id, () => newSettlement({ id, posterId, assigneeId, settledAt: new Date(time), eventVersion: 0 }))
    await parts.settlements.change(id, present =>
      correctSettlement(present, { isReversed: true, isReversedForGood: !payable.has(status), eventVersion }),
    )
  }

  return [
    on(api.offerAnswered, ({ offerId, status }) => onOfferAnswered(parts, offerId, status)),
    on(api.escrowReleased, ({ gigId: id, posterId, assigneeId, settledAt }, event) => settled({ id, posterId, assigneeId, settledAt }, event)),
    on(api.escrowRestated, async ({ gigId: id, posterId, assigneeId, status, unpaid, settledAt }, event) => {
      if (unpaid) await reversed({ id, posterId, assigneeId, status }, event)
      if (status === 'released' && assigneeId !== null && settledAt !== null) await settled({ id, posterId, assigneeId, settledAt }, event)
    }),
    on(api.jobSettled, ({ jobId: id, posterId, assigneeId, at }, event) => settled({ id, posterId, assigneeId, settledAt: at }, event)),
    on(api.jobCorrected, async ({ jobId: id, posterId, assigneeId, status, unpaid, at }, event) => {
      if (unpaid) await reversed({ id, posterId, assigneeId, status }, event)
      if (status === 'settled' && assigneeId !== null) await settled({ id, posterId, assigneeId, settledAt: at }, event)
    }),
  ]
}
