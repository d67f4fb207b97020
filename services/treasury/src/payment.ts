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
import { commands } from '@carapace/chain'
import type { Decision } from '@carapace/store'

export type PaymentStatus = (typeof paymentStatuses)[number]

export interface Payment {
  /** Also the id of its reservation, and the token's nonce on chain. */
  id: string
  kind: 'payment' | 'withdrawal'
  fromAgentId: string
  fromAddress: string
  toAgentId: string | null
  toAddress: string
  /** µ */
  amount: bigint
  chain: Chain
  gigId: string | null
  note: string | null
  status: PaymentStatus
  /** When the executor takes a pending one; the moment of acceptance for the others. */
  executeAfter: Date
  acceptedAt: Date
  txHash: string | null
  executedAt: Date | null
  failure: string | null
}

/** Every transition (behaviour 8). `fail` out of executed: its block went away and the transfer then failed for good. */
export const transitions = {
  pending: { cancel: 'cancelled', execute: 'processing', fail: 'failed' },
  submitted: { confirm: 'executed', fail: 'failed' },
  processing: { confirm: 'executed', fail: 'failed' },
  executed: { confirm: 'executed', fail: 'failed' },
  failed: { confirmLate: 'executed' },
  cancelled: {},
} as const satisfies Record<PaymentStatus, Record<string, PaymentStatus>>
export type Command = 'cancel' | 'execute' | 'confirm' | 'fail' | 'confirmLate'

export const canDo = ({ status }: Payment, command: Command): boolean => Object.hasOwn(transitions[status], command)

function move(payment: Payment, command: Command, changes: Partial<Payment>, events: (moved: Payment) => Draft[]): Decision<Payment> {
  const to = (transitions[payment.status] as Record<string, PaymentStatus>)[command]
  if (to === undefined) {
    const allowed = Object.keys(transitions).filter(status => command in transitions[status as PaymentStatus])
    return refuse('INVALID_STATE', { state: payment.status, allowed }, { message: `The payment is ${payment.status}` })
  }
  const moved = { ...payment, ...changes, status: to }
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

export const paymentKey = (paymentId: string): string => `treasury.pay:${paymentId}`
export const isQueued = (amount: bigint): boolean => amount >= limits.treasury.queueFromMicro
export const executeAfter = (amount: bigint, now: Date): Date => new Date(now.getTime() + (isQueued(amount) ? limits.treasury.queueDelayMs : 0))

/** `deadline` is wall-clock time: the relayer never signs after it. */
const transfer = ({ id, fromAddress, toAddress, amount, chain }: Payment, deadline: Date): Draft =>
  commands.treasuryPay({ paymentId: id, from: fromAddress, to: toAddress, amount, chain, round: 1, deadline })

/** A new payment: below 25 USDC it is sent at once, else it waits and can be cancelled. */
export function accept(payment: Omit<Payment, 'status' | 'txHash' | 'executedAt' | 'failure'>, deadline: Date): Decision<Payment> {
  const fresh = { ...payment, txHash: null, executedAt: null, failure: null }
  if (!isQueued(payment.amount)) {
    const state = { ...fresh, status: 'submitted' as const }
    return { state, events: [transfer(state, deadline)] }
  }
  const state = { ...fresh, status: 'pending' as const }
  return { state, events: [paymentQueued.of({ ...facts(state), executeAfter: state.executeAfter.toISOString() })] }
}

/** Only the sender may, and only until the executor has taken it. @throws FORBIDDEN, INVALID_STATE */
export function cancel(payment: Payment, caller: string): Decision<Payment> {
  if (payment.fromAgentId !== caller) refuse('FORBIDDEN', undefined, { message: 'Only the sender may cancel a payment' })
  return move(payment, 'cancel', {}, moved => [paymentCancelled.of(facts(moved))])
}

/** What time alone does with a pending payment. `isBlocked`: its account owes something; one that stays blocked for as long again fails. */
export function execute(payment: Payment, now: Date, deadline: Date, isBlocked: boolean): Decision<Payment> | undefined {
  if (payment.status !== 'pending' || payment.executeAfter > now) return undefined
  if (isBlocked)
    return now.getTime() - payment.executeAfter.getTime() < limits.treasury.queueDelayMs ? undefined : fail(payment, 'INSUFFICIENT_BALANCE')
  return move(payment, 'execute', {}, moved => [transfer(moved, deadline)])
}

/** The signed transaction's hash, while the outcome is still open. */
export function noteHash(payment: Payment, txHash: string): Decision<Payment> | undefined {
  const isOpen = payment.status === 'submitted' || payment.status === 'processing'
  return isOpen && payment.txHash !== txHash ? { state: { ...payment, txHash }, events: [] } : undefined
}

export function confirm(payment: Payment, txHash: string, now: Date): Decision<Payment> {
  const command = payment.status === 'failed' ? 'confirmLate' : 'confirm'
  const isNews = payment.status !== 'executed'
  return move(payment, command, { txHash, failure: null, executedAt: payment.executedAt ?? now }, moved =>
    isNews ? [paymentExecuted.of({ ...facts(moved), txHash, executedAt: moved.executedAt!.toISOString() })] : [],
  )
}

export function fail(payment: Payment, code: string): Decision<Payment> {
  return move(payment, 'fail', { failure: code, executedAt: null }, moved => [paymentFailed.of({ ...facts(moved), code })])
}
