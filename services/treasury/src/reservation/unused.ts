import { type Job, peerPolls } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { isUsed } from './is-used.ts'
import { abandonReservation, type Reservation } from './reservation.ts'

/** Frees what is held for a command that never was and never will be. */
export const unusedReservations = (parts: Parts): Job =>
  peerPolls<Reservation>(parts, {
    name: 'reservations whose command never came',
    records: parts.reservations,
    filter: { status: 'held', owner: { $ne: 'treasury' } },
    since: 'createdAt',
    poll: reservation => freeUnlessUsed(parts, reservation),
  })

async function freeUnlessUsed(parts: Parts, reservation: Reservation): Promise<void> {
  if (await isUsed(parts, reservation)) return
  const { id, key, round } = reservation
  parts.log.warn({ reservationId: id, key, round }, 'a reservation is freed whose command never came')
  await parts.reservations.change(id, abandonReservation)
}
