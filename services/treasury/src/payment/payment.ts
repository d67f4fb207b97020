import {
  type Chain,
  type Draft,
  limits,
  paymentCancelled,
  paymentExecuted,
  paymentFailed,
  paymentQueued,
  type paymentStatuses,
  refuse,
} from '@carapace/api'
import { commands, type OnChain, sentOnChain } from '@carapace/chain'
import { type Decision, stateMachine } from '@carapace/store'

export type PaymentStatus = (typeof paymentStatuses)[number]

export interface Payment {
  /** Also the id of its reservation. */
  id: string
  kind: 'payment' | 'withdrawal'
  fromAgentId: string
  /** Who ordered it, where that is not the agent whose money it is: it proved the wallet that this one lost. */
  orderedBy?: string
  fromAddress: string
  toAgentId: string | null
  toAddress: string
  /** µ */
  amount: bigint
  chain: Chain
  gigId: string | null
  note: string | null
  status: PaymentStatus
  /** When the executor sends a pending one; the moment of acceptance for the others. */
  executeAfter: Date
  acceptedAt: Date
  /** Of its command, as its reservation follows it; null until it is sent. */
  onChain: Required<OnChain> | null
  executedAt: Date | null
  failure: string | null
  /** The token's nonce on chain, which follows from the id: transfers are found by it. */
  nonce?: string
}

type Trigger = 'cancel' | 'execute' | 'confirm' | 'fail' | 'confirmLate'
const byOutcome = 'the outcome of its command, polled every 30 s to 5 min'
const sent = { confirm: { to: 'executed', byTime: byOutcome }, fail: { to: 'failed', byTime: byOutcome } } as const

/** How a payment moves (behaviour 8). `fail` out of executed: its block was dropped and the transfer then failed for good. */
export const paymentStates = stateMachine<PaymentStatus, Trigger>({
  name: 'payment',
  initial: 'pending',
  startsIn: { submitted: 'below 25 USDC' },
  final: ['executed', 'failed', 'cancelled'],
  transitions: {
    pending: {
      cancel: 'cancelled',
      execute: { to: 'processing', byTime: '10 min after its acceptance' },
      fail: { to: 'failed', byTime: '20 min after its acceptance, when its account is in debt or its sender suspended' },
    },
    submitted: sent,
    processing: sent,
    executed: { confirm: 'executed', fail: 'failed' },
    failed: { confirmLate: 'executed' },
    cancelled: {},
  },
})

/** Before `onChain` was one field. */
type OldPayment = { txHash?: string | null }
const statusOnChain = { submitted: 'pending', processing: 'pending', executed: 'confirmed', failed: 'failed' } as const

/** A stored payment in the present form. */
export function upgradePayment<P extends Payment>(payment: P): P {
  if (payment.onChain !== undefined) return payment
  const { txHash = null, ...rest } = payment as P & OldPayment
  const { status, failure } = payment
  const wasSent = status !== 'pending' && status !== 'cancelled' && (status !== 'failed' || txHash !== null)
  const onChain = wasSent ? { ...sentOnChain, status: statusOnChain[status], txHash, error: failure } : null
  return { ...(rest as unknown as P), onChain }
}

function move(payment: Payment, trigger: Trigger, changes: Partial<Payment>, events: (moved: Payment) => Draft[]): Decision<Payment> {
  const moved = { ...payment, ...changes, status: paymentStates.move(payment.status, trigger) }
  return { state: moved, events: events(moved) }
}

const facts = ({ id, kind, fromAgentId, toAgentId, toAddress, amount, chain, gigId, note }: Payment) => ({
  paymentId: id,
  kind,
  fromAgentId,
  toAgentId,
  toAddress,
  amount,
  chain,
  gigId,
  note,
})

/** Who may read and cancel it. */
export const ordererOf = ({ orderedBy, fromAgentId }: Pick<Payment, 'orderedBy' | 'fromAgentId'>): string => orderedBy ?? fromAgentId

export const paymentKey = (paymentId: string): string => `treasury.pay:${paymentId}`
export const isQueued = (amount: bigint): boolean => amount >= limits.treasury.queueFromMicro
export const executeAfter = (amount: bigint, now: Date): Date => new Date(now.getTime() + (isQueued(amount) ? limits.treasury.queueDelayMs : 0))

/** `deadline` is wall-clock time: the relayer never signs after it. */
const transfer = ({ id, fromAddress, toAddress, amount, chain }: Payment, deadline: Date): Draft =>
  commands.treasuryPay({ paymentId: id, from: fromAddress, to: toAddress, amount, chain, round: 1, deadline })

/** A new payment: below 25 USDC it is sent immediately, else it waits and can be cancelled. */
export function accept(payment: Omit<Payment, 'status' | 'onChain' | 'executedAt' | 'failure'>, deadline: Date): Decision<Payment> {
  const fresh = { ...payment, onChain: null, executedAt: null, failure: null }
  if (!isQueued(payment.amount)) {
    const state = { ...fresh, status: 'submitted' as const, onChain: sentOnChain }
    return { state, events: [transfer(state, deadline)] }
  }
  const state = { ...fresh, status: 'pending' as const }
  return { state, events: [paymentQueued.of({ ...facts(state), executeAfter: state.executeAfter.toISOString() })] }
}

/** Only the sender may, and only until the executor has sent it. @throws FORBIDDEN, INVALID_STATE */
export function cancel(payment: Payment, caller: string): Decision<Payment> {
  if (ordererOf(payment) !== caller) refuse('FORBIDDEN', undefined, { message: 'Only the sender may cancel a payment' })
  return move(payment, 'cancel', {}, moved => [paymentCancelled.of(facts(moved))])
}

/** Why a payment is not sent: its account is in debt, or its sender is suspended. */
export type Block = 'INSUFFICIENT_BALANCE' | 'ACCOUNT_SUSPENDED'

/** What time alone does with a pending payment: one that stays blocked for as long again fails. */
export function execute(payment: Payment, now: Date, deadline: Date, block: Block | null): Decision<Payment> | undefined {
  if (payment.status !== 'pending' || payment.executeAfter > now) return undefined
  if (block !== null) return now.getTime() - payment.executeAfter.getTime() < limits.treasury.queueDelayMs ? undefined : fail(payment, block, null)
  return move(payment, 'execute', { onChain: sentOnChain }, moved => [transfer(moved, deadline)])
}

/** The signed transaction, while the outcome is still open. */
export function noteSubmission(payment: Payment, onChain: Required<OnChain>): Decision<Payment> | undefined {
  const isOpen = payment.status === 'submitted' || payment.status === 'processing'
  return isOpen && payment.onChain?.txHash !== onChain.txHash ? { state: { ...payment, onChain }, events: [] } : undefined
}

export function confirm(payment: Payment, onChain: Required<OnChain>, now: Date): Decision<Payment> {
  const trigger = payment.status === 'failed' ? 'confirmLate' : 'confirm'
  const isNews = payment.status !== 'executed'
  const txHash = onChain.txHash!
  return move(payment, trigger, { onChain, failure: null, executedAt: payment.executedAt ?? now }, moved =>
    isNews ? [paymentExecuted.of({ ...facts(moved), txHash, executedAt: moved.executedAt!.toISOString() })] : [],
  )
}

/** @param onChain of its command; null when none was sent */
export function fail(payment: Payment, code: string, onChain: Required<OnChain> | null): Decision<Payment> {
  // a failure that names no transaction is that of the one which is known
  const sent = onChain && { ...onChain, txHash: onChain.txHash ?? payment.onChain?.txHash ?? null }
  return move(payment, 'fail', { onChain: sent, failure: code, executedAt: null }, moved => [paymentFailed.of({ ...facts(moved), code })])
}
