import { identityApi, limits, refuse, type treasuryApi } from '@carapace/api'
import { type Handlers, type Reply, recordIdOf, reply, unlessPassing } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { holdingOf } from '../ledger/accounts.ts'
import type { Parts } from '../parts.ts'
import { cancelPayment } from '../payment/cancel-payment.ts'
import { awaitOutcome, type PayOrder, pay } from '../payment/pay.ts'
import { payeeOf } from '../payment/payee.ts'
import { ordererOf, type Payment } from '../payment/payment.ts'
import { paymentView, pendingView } from '../views.ts'

/**
 * Calls that wait for the chain on behalf of one agent. The next ones answer immediately with what is accepted, and so do those that needed long to be
 * accepted: each that waits costs all others time.
 */
const maxWaiting = 16
const acceptedWithinMs = 3_000

export const paymentHandlers = (parts: Parts) => {
  const { queue } = parts
  const patient = async (agentId: string, payment: Stored<Payment>, answerBy: number): Promise<Stored<Payment>> => {
    const waiting = `payments:${agentId}`
    const leftMs = answerBy - performance.now()
    if (queue.waiting(waiting) >= maxWaiting || leftMs < limits.boundedWaitMs - acceptedWithinMs) return payment
    return queue.count(waiting, () => awaitOutcome(parts, payment, leftMs))
  }
  return {
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
      const accepted = await pay(parts, order)
      return answer(parts, answerBy === undefined ? accepted : await patient(caller.agentId, accepted, answerBy), handle, respondAsync)
    },

    withdrawFromTreasury: async ({ body, caller, operationId, respondAsync }) => {
      const answerBy = answerTime(respondAsync)
      const agent = await parts.agents.need(caller.agentId)
      // a migrated agent may still withdraw its money
      if (agent.status === 'suspended') refuse('ACCOUNT_SUSPENDED')
      const fromAgentId = body.fromAgentId ?? caller.agentId
      if (fromAgentId !== caller.agentId) await checkSuccession(parts, fromAgentId, caller.wallet)
      const wallet = (await parts.wallets.of(fromAgentId)) ?? refuse('NO_TREASURY_WALLET')
      if (caller.wallet.toLowerCase() === wallet.address.toLowerCase())
        refuse('SELF_ACTION', undefined, { message: 'The registered wallet is the treasury wallet itself' })
      const { amount, chain } = body
      const order: PayOrder = {
        paymentId: recordIdOf(operationId),
        kind: 'withdrawal',
        wallet,
        ...(fromAgentId === caller.agentId ? {} : { orderedBy: caller.agentId }),
        toAgentId: null,
        toAddress: caller.wallet,
        amount,
        chain,
        gigId: null,
        note: null,
      }
      const accepted = await pay(parts, order)
      return answer(parts, answerBy === undefined ? accepted : await patient(caller.agentId, accepted, answerBy), agent.handle, respondAsync)
    },

    cancelPayment: async ({ params, caller, operationId }) => {
      await cancelPayment(parts, params.paymentId, caller.agentId, operationId)
      return { status: 'cancelled' as const, paymentId: params.paymentId }
    },

    getPayment: async ({ params, caller }) => {
      const payment = await parts.payments.need(params.paymentId)
      if (ordererOf(payment) !== caller.agentId) refuse('FORBIDDEN', undefined, { message: 'Only the sender may read a payment' })
      const recipient = payment.toAgentId ?? payment.fromAgentId
      const [refs, { available }] = await Promise.all([parts.agents.refs([recipient]), holdingOf(parts.ledger, payment.chain, payment.fromAgentId)])
      return { ...paymentView(payment, refs(recipient).handle, available, parts.clock.now()), failure: payment.failure }
    },

    listPendingPayments: async ({ params, query }) => {
      const { items, total } = await parts.payments.page({ fromAgentId: params.id, status: 'pending' }, query)
      return { pending: items.map(pendingView), total, ...query }
    },
  } satisfies Handlers<typeof treasuryApi>
}

/**
 * The agent that proved a wallet may withdraw the money of one that lost it: to that wallet, the only one that its withdrawals could go to.
 * @throws NOT_FOUND, FORBIDDEN, ACCOUNT_SUSPENDED for one that an operator has suspended, DEPENDENCY_UNAVAILABLE
 */
async function checkSuccession({ peers }: Parts, fromAgentId: string, wallet: string): Promise<void> {
  const former = await peers.call('identity', identityApi.internal.getAgentRow, { params: { id: fromAgentId } })
  if (former.heldByOperator) refuse('ACCOUNT_SUSPENDED', { agentId: fromAgentId })
  if (former.wallet !== null || former.formerWallet?.toLowerCase() !== wallet.toLowerCase())
    refuse('FORBIDDEN', undefined, { message: 'fromAgentId must be the caller, or an agent that lost its wallet to the caller' })
}

/** When a call answers at the latest (ms of the process's clock), however long it waited before it was accepted; undefined: as soon as it is. */
const answerTime = (respondAsync: boolean): number | undefined => (respondAsync ? undefined : performance.now() + limits.boundedWaitMs)

/** 200 once it is confirmed or while it is on its way, 202 when it waits. @throws INVALID_STATE when it has ended without moving anything */
async function answer(parts: Parts, payment: Stored<Payment>, handle: string | null, respondAsync: boolean): Promise<Reply> {
  if (payment.status === 'failed' || payment.status === 'cancelled')
    refuse(
      'INVALID_STATE',
      { state: payment.status, paymentId: payment.id, ...(payment.failure ? { reason: payment.failure } : {}) },
      { message: `The payment is ${payment.status}; nothing was moved` },
    )
  const holding = await unlessPassing(holdingOf(parts.ledger, payment.chain, payment.fromAgentId))
  const isDone = payment.status === 'executed' || (payment.status !== 'pending' && !respondAsync)
  return reply(isDone ? 200 : 202, paymentView(payment, handle, holding?.available, parts.clock.now()))
}
