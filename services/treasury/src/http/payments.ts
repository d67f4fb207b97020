import { type AgentCaller, identityApi, limits, refuse, type treasuryApi } from '@carapace/api'
import { type Handlers, type Reply, recordIdOf, reply, unlessPassing } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { holdingOf } from '../ledger/accounts.ts'
import type { Parts } from '../parts.ts'
import { cancelPayment } from '../payment/cancel-payment.ts'
import { acceptedBefore, awaitOutcome, type KnownOrder, type PayOrder, pay } from '../payment/pay.ts'
import { payeeOf } from '../payment/payee.ts'
import { ordererOf, type Payment } from '../payment/payment.ts'
import { paymentView, pendingView } from '../views.ts'
import type { Wallet } from '../wallet/wallet.store.ts'

/**
 * Calls that wait for the chain on behalf of one agent. The next ones answer immediately with what is accepted, and so do those that needed long to be
 * accepted: each that waits costs all others time.
 */
const maxWaiting = 16
const acceptedWithinMs = 3_000

export const paymentHandlers = (parts: Parts) => {
  const { queue } = parts
  const patient = async (agentId: string, payment: Stored<Payment>, answerBy: number | undefined): Promise<Stored<Payment>> => {
    if (answerBy === undefined) return payment
    const waiting = `payments:${agentId}`
    const leftMs = answerBy - performance.now()
    if (queue.waiting(waiting) >= maxWaiting || leftMs < limits.boundedWaitMs - acceptedWithinMs) return payment
    return queue.count(waiting, () => awaitOutcome(parts, payment, leftMs))
  }
  return {
    payFromTreasury: async ({ body, caller, operationId, respondAsync }) => {
      const answerBy = answerTime(respondAsync)
      const { recipientAgentId: toAgentId, amount, chain, gigId = null, note = null } = body
      if (toAgentId === caller.agentId) refuse('SELF_ACTION', undefined, { message: 'An agent cannot pay itself' })
      const wish = { paymentId: recordIdOf(operationId), kind: 'payment' as const, toAgentId, amount, chain, gigId, note }
      const accepted = await acceptOnce(parts, caller.agentId, wish, wallet => checkPayment(parts, caller.agentId, wallet, { toAgentId, gigId }))
      const refs = await unlessPassing(parts.agents.refs([toAgentId]))
      return answer(parts, await patient(caller.agentId, accepted, answerBy), refs?.(toAgentId).handle ?? null, respondAsync)
    },

    withdrawFromTreasury: async ({ body, caller, operationId, respondAsync }) => {
      const answerBy = answerTime(respondAsync)
      const fromAgentId = body.fromAgentId ?? caller.agentId
      const { handle } = await parts.agents.need(caller.agentId)
      const { amount, chain } = body
      const orderedBy = fromAgentId === caller.agentId ? {} : { orderedBy: caller.agentId }
      const to = { toAgentId: null, toAddress: caller.wallet, gigId: null, note: null }
      const wish = { paymentId: recordIdOf(operationId), kind: 'withdrawal' as const, ...orderedBy, ...to, amount, chain }
      const accepted = await acceptOnce(parts, fromAgentId, wish, wallet => checkWithdrawal(parts, caller, fromAgentId, wallet))
      return answer(parts, await patient(caller.agentId, accepted, answerBy), handle, respondAsync)
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

type KnownWallet = Stored<Wallet> | undefined
/** What a new order is paid out of and where to. */
type Ends = Pick<PayOrder, 'wallet' | 'toAddress'>

/**
 * The payment of an order. One that was accepted before is answered as it is, also where its parties have changed since: only a new one is judged.
 * @param check what refuses a new one
 */
async function acceptOnce(
  parts: Parts,
  fromAgentId: string,
  wish: Omit<KnownOrder, 'wallet'>,
  check: (wallet: KnownWallet) => Promise<Ends>,
): Promise<Stored<Payment>> {
  const wallet = await parts.wallets.of(fromAgentId)
  const before = wallet && (await acceptedBefore(parts, { ...wish, wallet }))
  return before ?? pay(parts, { ...wish, ...(await check(wallet)) })
}

/** @throws ACCOUNT_SUSPENDED, NO_TREASURY_WALLET, NOT_FOUND, SELF_ACTION, DEPENDENCY_UNAVAILABLE */
async function checkPayment(
  parts: Parts,
  senderId: string,
  earlier: KnownWallet,
  { toAgentId, gigId }: { toAgentId: string; gigId: string | null },
): Promise<Ends> {
  const sender = await parts.agents.need(senderId)
  if (sender.status !== 'active') refuse('ACCOUNT_SUSPENDED')
  const wallet = earlier ?? refuse('NO_TREASURY_WALLET')
  const { address } = await payeeOf(parts, toAgentId)
  if (address === wallet.address) refuse('SELF_ACTION', undefined, { message: 'The recipient is paid into this very wallet' })
  if (gigId !== null && !(await parts.gigs.exists(gigId))) refuse('NOT_FOUND', { resource: 'gig' })
  return { wallet, toAddress: address }
}

/** @throws ACCOUNT_SUSPENDED, NO_TREASURY_WALLET, SELF_ACTION, and what `checkSuccession` refuses */
async function checkWithdrawal(parts: Parts, caller: AgentCaller, fromAgentId: string, earlier: KnownWallet): Promise<Ends> {
  const agent = await parts.agents.need(caller.agentId)
  // a migrated agent may still withdraw its money
  if (agent.status === 'suspended') refuse('ACCOUNT_SUSPENDED')
  if (fromAgentId !== caller.agentId) await checkSuccession(parts, fromAgentId, caller.wallet)
  const wallet = earlier ?? refuse('NO_TREASURY_WALLET')
  if (caller.wallet.toLowerCase() === wallet.address.toLowerCase())
    refuse('SELF_ACTION', undefined, { message: 'The registered wallet is the treasury wallet itself' })
  return { wallet, toAddress: caller.wallet }
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
