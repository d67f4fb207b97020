import { transact, transfer } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import { account } from './accounts.ts'
import { giveBack, takeBack } from './budget.ts'
import type { Parts } from './parts.ts'
import { cancel, confirm, fail, type Payment, type PaymentStatus } from './payment.ts'
import { type Outcome, type Reservation, type Step, stepFor, take } from './reservation.ts'

const posted = {
  capture: 'executed',
  remine: 'executed',
  late: 'executed',
  void: 'failed',
  undo: 'failed',
} as const satisfies Record<Step, PaymentStatus>

/**
 * Follows the outcome of a chain command: the reservation of its round, the ledger, the limit, the history and, when it was a payment,
 * the payment itself, in one transaction. It alone posts what leaves a wallet; transfer logs only ever credit.
 */
export async function settle(parts: Parts, outcome: Outcome): Promise<void> {
  const found = await parts.reservations.upTo(outcome.key, outcome.round)
  if (!found || stepFor(found, outcome) === undefined) return
  const work = async (session: ClientSession) => {
    const reservation = await parts.reservations.need(found.id, session)
    const step = stepFor(reservation, outcome)
    if (step === undefined) return
    const at = { seq: outcome.seq, round: outcome.round, ...(outcome.txHash ? { txHash: outcome.txHash } : {}) }
    await moveMoney(parts, reservation, step, at, session)
    await parts.history.change(
      reservation.id,
      { status: posted[step], ...(outcome.is === 'confirmed' ? { txHash: outcome.txHash, isFinal: false } : {}) },
      session,
    )
    if (reservation.owner !== 'treasury') return
    const now = parts.clock.now()
    await parts.payments.change(
      reservation.id,
      payment => (outcome.is === 'confirmed' ? confirm(payment, outcome.txHash, now) : fail(payment, outcome.code)),
      { session },
    )
  }
  await parts.queue.serialize(found.agentId, () => transact(parts, work))
}

/**
 * The sender takes a queued payment back; whichever comes first, this or the executor, is the only one. The same operation again changes nothing.
 * @throws NOT_FOUND, FORBIDDEN, INVALID_STATE
 */
export async function cancelPayment(parts: Parts, paymentId: string, caller: string, operationId: string): Promise<void> {
  await transact(parts, async session => {
    let isNew = false
    const decide = (payment: Payment) => {
      isNew = true
      return cancel(payment, caller)
    }
    await parts.payments.change(paymentId, decide, { session, cause: operationId })
    if (!isNew) return
    const reservation = await parts.reservations.need(paymentId, session)
    await moveMoney(parts, reservation, 'void', reservation, session)
    await parts.history.change(paymentId, { status: 'cancelled' }, session)
  })
}

const lines = {
  capture: ({ reserved, contra }) => [reserved, contra],
  void: ({ reserved, available }) => [reserved, available],
  undo: ({ contra, available }) => [contra, available],
  late: ({ available, contra }) => [available, contra],
} as const satisfies Partial<Record<Step, (accounts: Record<'available' | 'reserved' | 'contra', string>) => readonly [string, string]>>

async function moveMoney(
  parts: Parts,
  reservation: Reservation,
  step: Step,
  at: { seq: number; round: number; txHash?: string | null },
  session: ClientSession,
): Promise<void> {
  const { id, agentId, amount, chain, contra, day } = reservation
  await parts.reservations.change(id, present => take(present, step, { ...at, txHash: at.txHash ?? undefined }), { session })
  if (step === 'remine') return
  const [from, to] = lines[step]({ available: account.available(agentId), reserved: account.reserved(agentId), contra })
  const entry = {
    key: `${step}:${id}:${at.round}`,
    chain,
    lines: transfer(from, to, amount),
    ref: { type: 'reservation', id },
    txHash: at.txHash ?? null,
  }
  if (!(await parts.ledger.post(entry, session))) throw new Error(`${entry.key} is in the ledger already`)
  const recount = step === 'late' ? takeBack : step === 'capture' ? undefined : giveBack
  if (recount) await parts.budgets.change(agentId, budget => recount(budget, amount, day), { session })
}
