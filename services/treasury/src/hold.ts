import { formatUsdc, Refusal, refuse } from '@carapace/api'
import { type Stored, transact, transfer } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import { account } from './accounts.ts'
import { dayOf, spend } from './budget.ts'
import type { Movement } from './history.store.ts'
import type { Parts } from './parts.ts'
import { hold, type Reservation } from './reservation.ts'

export type NewReservation = Omit<Reservation, 'day' | 'status' | 'seq' | 'txHash'>
type Line = Pick<Movement, 'status' | 'counterpartyId' | 'gigId' | 'description'>

/**
 * Sets money aside in one transaction: the limit of the day, the balance, the reservation, its line in the history, and what `also` writes.
 * @throws DAILY_LIMIT_REACHED, INSUFFICIENT_BALANCE; ALREADY_EXISTS when this round of the command has its reservation
 */
export async function holdFunds(
  parts: Parts,
  draft: NewReservation,
  line: Line,
  also: (session: ClientSession) => Promise<unknown> = async () => undefined,
): Promise<Stored<Reservation>> {
  const { agentId, amount, chain, id } = draft
  await parts.budgets.ensure(agentId)
  const work = async (session: ClientSession) => {
    const now = parts.clock.now()
    await parts.budgets.change(agentId, budget => spend(budget, amount, now), { session })
    await needAvailable(parts, draft, session)
    const entry = {
      key: `hold:${id}`,
      chain,
      lines: transfer(account.available(agentId), account.reserved(agentId), amount),
      ref: { type: 'reservation', id },
    }
    if (!(await parts.ledger.post(entry, session))) refuse('ALREADY_EXISTS')
    const { state, events } = hold({ ...draft, day: dayOf(now), status: 'held', seq: 0, txHash: null })
    const reservation = await parts.reservations.create(state, events, { session })
    await parts.history.add({ ...line, id, agentId, type: 'debit', amount, chain, txHash: null, isFinal: false, at: now }, session)
    await also(session)
    return reservation
  }
  const held = parts.queue.serialize(agentId, () => transact(parts, work))
  return held.catch(async (error: unknown) => {
    // what is missing may be what this very round has set aside: two who ask at once both get it
    if (isShort(error) && (await parts.reservations.of(draft.key, draft.round))) return refuse('ALREADY_EXISTS')
    throw error
  })
}

/** Limit or balance does not cover it. */
export const isShort = (error: unknown): boolean =>
  error instanceof Refusal && (error.code === 'INSUFFICIENT_BALANCE' || error.code === 'DAILY_LIMIT_REACHED')

async function needAvailable({ ledger }: Parts, { agentId, amount, chain }: NewReservation, session: ClientSession): Promise<void> {
  const available = await ledger.balance(chain, account.available(agentId), session)
  const debt = -(await ledger.balance(chain, account.debt(agentId), session))
  if (available >= amount && debt === 0n) return
  const details = { chain, available: Number(available), required: Number(amount), availableFormatted: formatUsdc(available) }
  if (debt === 0n) refuse('INSUFFICIENT_BALANCE', details)
  refuse(
    'INSUFFICIENT_BALANCE',
    { ...details, debt: Number(debt), debtFormatted: formatUsdc(debt) },
    { message: `The account owes ${formatUsdc(debt)} on ${chain}, spent from deposits that the chain has dropped: deposits pay that first` },
  )
}

/** `existing` when another call made it first. */
export async function orExisting<T>(made: Promise<T>, existing: () => Promise<T | undefined>): Promise<T> {
  try {
    return await made
  } catch (error) {
    const found = error instanceof Refusal && error.code === 'ALREADY_EXISTS' ? await existing() : undefined
    if (found === undefined) throw error
    return found
  }
}
