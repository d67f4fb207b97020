import * as api from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import { failureFact } from '../facts.ts'
import type { Parts } from '../parts.ts'
import { record } from '../record.ts'
import { judgeGigVotes } from './judge-votes.ts'
import { corrected, endDispute, settled } from './settled.ts'

type Refunded = api.PayloadOf<typeof api.escrowRefunded> & { assigneeId: string }

/** Reasons of a refund that say that the work was judged. */
const judgements: ReadonlySet<Refunded['reason']> = new Set(['verdict', 'frozen', 'dispute'])

/** What the escrow publishes of the payments of gigs. */
export const escrowEvents = (parts: Parts): Subscription[] => [
  on(api.escrowReleased, async (payload, event) => {
    const { gigId, validationId, creditable, settledAt: at } = payload
    const isJudged = creditable && validationId !== null
    await Promise.all([
      settled(parts, payload, event, `/api/trust-receipts/gigs/${gigId}`),
      isJudged ? judgeGigVotes(parts, event, { gigId, verdict: 'approved', at }) : undefined,
    ])
  }),
  on(api.escrowRefunded, async (payload, event) => {
    const { gigId, assigneeId, reason, payoutLost, refundedAt: at } = payload
    if (assigneeId === null) return
    const isJudged = judgements.has(reason) && !payoutLost
    await Promise.all([
      refunded(parts, { ...payload, assigneeId }, event),
      isJudged ? judgeGigVotes(parts, event, { gigId, verdict: 'rejected', at }) : undefined,
    ])
  }),
  on(api.escrowRestated, ({ txHash, settledAt, ...gig }, event) =>
    corrected(parts, gig, event, { txHash, ...(settledAt === null ? {} : { at: settledAt }) }),
  ),
  on(api.escrowDisputed, async ({ posterId, assigneeId, gigId, disputedAt }, event) => {
    for (const agentId of [posterId, assigneeId])
      if (agentId !== null) await record(parts, event, agentId, { type: 'dispute_opened', gigId }, { at: disputedAt, key: gigId })
  }),
  on(api.escrowFailed, async ({ posterId, assigneeId, gigId, disputed }, event) => {
    if (disputed && assigneeId !== null) await endDispute(parts, event, { gigId, posterId, assigneeId, posterLost: false, assigneeLost: false })
  }),
]

async function refunded(parts: Parts, payload: Refunded, event: api.CloudEvent): Promise<void> {
  const { posterId, assigneeId, gigId, amount, failure, refundedAt, txHash, reason, disputed } = payload
  if (failure !== null) await record(parts, event, assigneeId, failureFact(failure, { posterId, gigId, budget: amount }), { at: refundedAt, txHash })
  if (disputed || reason === 'dispute')
    await endDispute(parts, event, { gigId, posterId, assigneeId, posterLost: false, assigneeLost: failure === 'dispute_lost' })
}
