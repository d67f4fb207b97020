import { limits, refuse, type treasuryApi } from '@carapace/api'
import { type HandlersOf, type Reply, recordIdOf, reply, unlessPassing } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { holdingOf } from '../accounts.ts'
import type { Parts } from '../parts.ts'
import { awaitOutcome, type PayOrder, pay } from '../pay.ts'
import { payeeOf } from '../payee.ts'
import type { Payment } from '../payment.ts'
import { cancelPayment } from '../settle.ts'
import { paymentView, pendingView } from '../views.ts'

type Handlers = HandlersOf<typeof treasuryApi>

export const paymentHandlers = (
  parts: Parts,
): Pick<Handlers, 'payFromTreasury' | 'withdrawFromTreasury' | 'cancelPayment' | 'getPayment' | 'listPendingPayments'> => ({
  payFromTreasury: async ({ body, caller, operationId, respondAsync }) => {
    const answerBy = answerTime(respondAsync)
    if (body.recipientAgentId === caller.agentId) refuse('SELF_ACTION', undefined, { message: 'An agent cannot pay itself' })
    const sender = await parts.agents.need(caller.agentId)
    if (sender.status !== 'active') refuse('ACCOUNT_SUSPENDED')
    const wallet = (await parts.wallets.of(caller.agentId)) ?? refuse('NO_TREASURY_WALLET')
    const { handle, address } = await payeeOf(parts, body.recipientAgentId)
    if (address === wallet.address) refuse('SELF_ACTION', undefined, { message: 'The recipient is paid into this very wallet' })
    const gigId = body.gigId ?? null
    if (gigId !== null && !(await parts.gigs.exists(gigId))) refuse('NOT_FOUND', { resource: 'gig' })
    const { amount, chain, note = null } = body
    const order: PayOrder = {
      paymentId: recordIdOf(operationId),
      kind: 'payment',
      wallet,
      toAgentId: body.recipientAgentId,
      toAddress: address,
      amount,
      chain,
      gigId,
      note,
    }
    return answer(parts, await pay(parts, order), handle, answerBy)
  },

  withdrawFromTreasury: async ({ body, caller, operationId, respondAsync }) => {
    const answerBy = answerTime(respondAsync)
    const agent = await parts.agents.need(caller.agentId)
    // a migrated agent may still take its money out
    if (agent.status === 'suspended') refuse('ACCOUNT_SUSPENDED')
    const wallet = (await parts.wallets.of(caller.agentId)) ?? refuse('NO_TREASURY_WALLET')
    if (caller.wallet.toLowerCase() === wallet.address.toLowerCase())
      refuse('SELF_ACTION', undefined, { message: 'The registered wallet is the treasury wallet itself' })
    const { amount, chain } = body
    const order: PayOrder = {
      paymentId: recordIdOf(operationId),
      kind: 'withdrawal',
      wallet,
      toAgentId: null,
      toAddress: caller.wallet,
      amount,
      chain,
      gigId: null,
      note: null,
    }
    return answer(parts, await pay(parts, order), agent.handle, answerBy)
  },

  cancelPayment: async ({ params, caller, operationId }) => {
    await cancelPayment(parts, params.paymentId, caller.agentId, operationId)
    return { status: 'cancelled' as const, paymentId: params.paymentId }
  },

  getPayment: async ({ params, caller }) => {
    const payment = await parts.payments.need(params.paymentId)
    if (payment.fromAgentId !== caller.agentId) refuse('FORBIDDEN', undefined, { message: 'Only the sender may read a payment' })
    const recipient = payment.toAgentId ?? payment.fromAgentId
    const [refs, { available }] = await Promise.all([parts.agents.refs([recipient]), holdingOf(parts.ledger, payment.chain, payment.fromAgentId)])
    return { ...paymentView(payment, refs(recipient).handle, available), failure: payment.failure }
  },

  listPendingPayments: async ({ params, query }) => {
    const { items, total } = await parts.payments.page({ fromAgentId: params.id, status: 'pending' }, query)
    return { pending: items.map(pendingView), total, ...query }
  },
})

/** When a call answers at the latest (ms of the process's clock), however long it waited before it was accepted; undefined: as soon as it is. */
const answerTime = (respondAsync: boolean): number | undefined => (respondAsync ? undefined : performance.now() + limits.boundedWaitMs)

/** 200 once it is confirmed or while it is on its way, 202 when it waits. @throws INVALID_STATE when it has ended without moving anything */
async function answer(parts: Parts, accepted: Stored<Payment>, handle: string | null, answerBy: number | undefined): Promise<Reply> {
  const payment = answerBy === undefined ? accepted : await awaitOutcome(parts, accepted, answerBy - performance.now())
  if (payment.status === 'failed' || payment.status === 'cancelled')
    refuse(
      'INVALID_STATE',
      { state: payment.status, paymentId: payment.id, ...(payment.failure ? { reason: payment.failure } : {}) },
      { message: `The payment is ${payment.status}; nothing was moved` },
    )
  const holding = await unlessPassing(holdingOf(parts.ledger, payment.chain, payment.fromAgentId))
  const isDone = payment.status === 'executed' || (payment.status !== 'pending' && answerBy !== undefined)
  return reply(isDone ? 200 : 202, paymentView(payment, handle, holding?.available))
}
