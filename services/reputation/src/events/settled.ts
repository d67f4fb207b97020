import type * as api from '@carapace/api'
import { paymentFacts } from '../facts.ts'
import { feedbackOf } from '../feedback.ts'
import type { Parts } from '../parts.ts'
import { record } from '../record.ts'

type Released = Pick<
  api.PayloadOf<typeof api.escrowReleased>,
  | 'posterId'
  | 'assigneeId'
  | 'gigId'
  | 'chain'
  | 'fee'
  | 'net'
  | 'creditable'
  | 'settledAt'
  | 'txHash'
  | 'posterScore'
  | 'assigneeScore'
  | 'afterDispute'
>

/** A payment counts for both sides; the other's score is the one as of the settlement. */
export async function settled(parts: Parts, payload: Released, event: api.CloudEvent, receiptPath: string): Promise<void> {
  const { posterId, assigneeId, gigId, creditable, settledAt, txHash, afterDispute } = payload
  const { ofAssignee, ofPoster } = paymentFacts(payload)
  const given = { at: settledAt, txHash }
  await Promise.all([
    record(parts, event, assigneeId, ofAssignee, {
      ...given,
      ...(creditable ? { commands: doc => feedbackOf(parts, doc, { ...payload, receiptPath }) } : {}),
    }),
    record(parts, event, posterId, ofPoster, given),
  ])
  if (afterDispute) await endDispute(parts, event, { gigId, posterId, assigneeId, posterLost: true, assigneeLost: false })
}

/** The end of a dispute counts against those who lost it. */
export async function endDispute(
  parts: Parts,
  event: api.CloudEvent,
  end: { gigId: string; posterId: string; assigneeId: string; posterLost: boolean; assigneeLost: boolean },
): Promise<void> {
  await record(parts, event, end.posterId, { type: 'dispute_ended', gigId: end.gigId, lost: end.posterLost })
  await record(parts, event, end.assigneeId, { type: 'dispute_ended', gigId: end.gigId, lost: end.assigneeLost })
}
