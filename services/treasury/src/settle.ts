import { type LedgerLine, transact, transfer } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import { account, moneyIn, moneyOut } from './accounts.ts'
import { giveBack, takeBack } from './budget.ts'
import type { Parts } from './parts.ts'
import { cancel, confirm, execute, fail, type Payment, type PaymentStatus } from './payment.ts'
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
  const { fromAgentId } = await parts.payments.need(paymentId)
  const work = async (session: ClientSession) => {
    let isNew = false
    const decide = (payment: Payment) => {
      isNew = true
      return cancel(payment, caller)
    }
    await parts.payments.change(paymentId, decide, { session, cause: operationId })
    if (isNew) await release(parts, paymentId, 'cancelled', session)
  }
  await parts.queue.serialize(fromAgentId, () => transact(parts, work))
}

/** The executor takes a queued payment whose time has come; one of an account that owes something waits, and fails in the end. */
export async function takeUp(parts: Parts, { id, fromAgentId, chain }: Payment, now: Date, deadline: Date): Promise<void> {
  const work = async (session: ClientSession) => {
    const isBlocked = (await parts.ledger.balance(chain, account.debt(fromAgentId), session)) < 0n
    let isNew = false
    const decide = (payment: Payment) => {
      const decision = execute(payment, now, deadline, isBlocked)
      isNew = decision !== undefined
      return decision
    }
    const { status } = await parts.payments.change(id, decide, { session })
    if (isNew && status === 'failed') await release(parts, id, status, session)
    else if (isNew) await parts.history.change(id, { status }, session)
  }
  await parts.queue.serialize(fromAgentId, () => transact(parts, work))
}

/** A queued payment ends without having been sent. */
async function release(parts: Parts, paymentId: string, status: 'cancelled' | 'failed', session: ClientSession): Promise<void> {
  const reservation = await parts.reservations.need(paymentId, session)
  await moveMoney(parts, reservation, 'void', reservation, session)
  await parts.history.change(paymentId, { status }, session)
}

/** Money that becomes available pays first what the agent owes; a late capture takes what is there, and the rest is owed. */
const lines: Record<Exclude<Step, 'remine'>, (parts: Parts, reservation: Reservation, session: ClientSession) => Promise<LedgerLine[]>> = {
  capture: async (_, { agentId, contra, amount }) => transfer(account.reserved(agentId), contra, amount),
  void: ({ ledger }, { agentId, chain, amount }, session) => moneyIn(ledger, { chain, agentId, contra: account.reserved(agentId), amount }, session),
  undo: ({ ledger }, reservation, session) => moneyIn(ledger, reservation, session),
  late: ({ ledger }, reservation, session) => moneyOut(ledger, reservation, session),
}

async function moveMoney(
  parts: Parts,
  reservation: Reservation,
  step: Step,
  at: { seq: number; round: number; txHash?: string | null },
  session: ClientSession,
): Promise<void> {
  const { id, agentId, amount, chain, day } = reservation
  await parts.reservations.change(id, present => take(present, step, { ...at, txHash: at.txHash ?? undefined }), { session })
  if (step === 'remine') return
  const entry = {
    key: `${step}:${id}:${at.round}`,
    chain,
    lines: await lines[step](parts, reservation, session),
    ref: { type: 'reservation', id },
    txHash: at.txHash ?? null,
  }
  if (!(await parts.ledger.post(entry, session))) throw new Error(`${entry.key} is in the ledger already`)
  if (step === 'capture') return
  const recount = step === 'late' ? takeBack : giveBack
  // always written: what makes a debt at the same moment writes it, too
  await parts.budgets.change(agentId, budget => recount(budget, amount, day) ?? { state: budget, events: [] }, { session })
}
