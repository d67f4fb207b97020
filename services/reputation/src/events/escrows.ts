import * as api from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import { failureFact } from '../facts.ts'
import type { Parts } from '../parts.ts'
import { record } from '../record.ts'
import { endDispute, settled } from './settled.ts'

/** What the escrow publishes of the payments of gigs. */
export const escrowEvents = (parts: Parts): Subscription[] => [
  on(api.escrowReleased, (payload, event) => settled(parts, payload, event, `/api/trust-receipts/gigs/${payload.gigId}`)),
  on(api.escrowRefunded, async ({ posterId, assigneeId, gigId, amount, failure, refundedAt, txHash, reason, disputed }, event) => {
    if (assigneeId === null) return
    if (failure !== null)
      await record(parts, event, assigneeId, failureFact(failure, { posterId, gigId, budget: amount }), { at: refundedAt, txHash })
    if (disputed || reason === 'dispute')
      await endDispute(parts, event, { gigId, posterId, assigneeId, posterLost: false, assigneeLost: failure === 'dispute_lost' })
  }),
  on(api.escrowRestated, async ({ posterId, assigneeId, gigId, status, unpaid, txHash, settledAt }, event) => {
    const type = unpaid ? 'settlement_undone' : status === 'released' ? 'settled_again' : undefined
    for (const agentId of [posterId, assigneeId])
      if (type && agentId !== null) await record(parts, event, agentId, { type, gigId }, { txHash, ...(settledAt === null ? {} : { at: settledAt }) })
  }),
  on(api.escrowDisputed, async ({ posterId, assigneeId, gigId, disputedAt }, event) => {
    for (const agentId of [posterId, assigneeId])
      if (agentId !== null) await record(parts, event, agentId, { type: 'dispute_opened', gigId }, { at: disputedAt, key: gigId })
  }),
  on(api.escrowFailed, async ({ posterId, assigneeId, gigId, disputed }, event) => {
    if (disputed && assigneeId !== null) await endDispute(parts, event, { gigId, posterId, assigneeId, posterLost: false, assigneeLost: false })
  }),
]
