import { Refusal } from '@carapace/api'
import type { Stored } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import { dayOf, spend } from '../budget/budget.ts'
import type { Movement } from '../history.store.ts'
import { accountTransaction } from '../ledger/account-transaction.ts'
import type { Parts } from '../parts.ts'
import { holdReservation, type Reservation } from './reservation.ts'

export type NewReservation = Omit<Reservation, 'day' | 'status' | 'onChain'>
type Line = Pick<Movement, 'status' | 'counterpartyId' | 'gigId' | 'description'>

/**
 * Sets money aside in one transaction: the limit of the day, the balance, the reservation, its line in the history, and what `also` writes.
 * @throws DAILY_LIMIT_REACHED, INSUFFICIENT_BALANCE; ALREADY_EXISTS when this round of the command has its reservation, which may also be what is missing
 */
export async function holdFunds(
  parts: Parts,
  draft: NewReservation,
  line: Line,
  also: (session: ClientSession) => Promise<unknown> = async () => undefined,
): Promise<Stored<Reservation>> {
  const { agentId, amount, chain, id } = draft
  await parts.budgets.ensure(agentId)
  return accountTransaction(parts, agentId, async session => {
    const now = parts.clock.now()
    await parts.budgets.change(agentId, budget => spend(budget, amount, now), { session })
    const { state, events } = holdReservation({ ...draft, day: dayOf(now) })
    const reservation = await parts.reservations.create(state, events, { session })
    await parts.history.add({ ...line, id, agentId, type: 'debit', amount, chain, txHash: null, isFinal: false, at: now }, session)
    await also(session)
    return reservation
  })
}

/** Limit or balance does not cover it. */
export const isShort = (error: unknown): boolean =>
  error instanceof Refusal && (error.code === 'INSUFFICIENT_BALANCE' || error.code === 'DAILY_LIMIT_REACHED')
