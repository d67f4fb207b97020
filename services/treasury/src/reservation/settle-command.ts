import type { Parts } from '../parts.ts'
import { freedBy, isUnclear, type Outcome, settleReservation } from './reservation.ts'

/**
 * Follows the outcome of a chain command: the reservation of its round, the ledger, the limit, the history and, when it was a payment,
 * the payment itself, in one transaction. It alone posts what leaves a wallet; transfer logs only ever credit.
 */
export async function settleCommand({ reservations }: Pick<Parts, 'reservations'>, outcome: Outcome): Promise<void> {
  const found = await reservations.upTo(outcome.key, outcome.round)
  if (!found) return
  if (found.status === 'held' && isUnclear(found, outcome)) return
  if (settleReservation(found, outcome)) await reservations.change(found.id, present => settleReservation(present, outcome))
  // a later round exists only once this one has failed, which may never have been received
  for (const { id } of await reservations.heldBefore(outcome.key, found.round))
    await reservations.change(id, present => settleReservation(present, freedBy(present, outcome)))
}
