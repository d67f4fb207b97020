import * as api from '@carapace/api'
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

type Corrected = Parameters<typeof api.paymentCorrection>[0] & { gigId: string; posterId: string | null; assigneeId: string | null }

/** A payment that is lost counts for neither side any more; one that is made again has another proof. */
export async function corrected(
  parts: Parts,
  { gigId, posterId, assigneeId, ...state }: Corrected,
  event: api.CloudEvent,
  given: { txHash: string | null; at?: string },
): Promise<void> {
  const correction = api.paymentCorrection(state)
  if (correction !== 'lost' && correction !== 'paidAgain') return
  const type = correction === 'lost' ? 'settlement_undone' : 'settled_again'
  for (const agentId of [posterId, assigneeId]) if (agentId !== null) await record(parts, event, agentId, { type, gigId }, given)
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
