import { chainRelayerApi, getReservationUse } from '@carapace/api'
import { type Job, peerPolls } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { abandonReservation, type Reservation } from './reservation.ts'

/**
 * Frees what is held for a command that never was and never will be. Of a round that its owner does not have open, the relayer knows the command, or nobody
 * sent it.
 */
export const unusedReservations = (parts: Parts): Job =>
  peerPolls<Reservation>(parts, {
    name: 'reservations whose command never came',
    records: parts.reservations,
    filter: { status: 'held', owner: { $ne: 'treasury' } },
    since: 'createdAt',
    poll: reservation => freeUnlessUsed(parts, reservation),
  })

async function freeUnlessUsed({ peers, reservations, log }: Parts, { id, owner, key, round, agentId }: Reservation): Promise<void> {
  // the owner first: what it sends after its answer is of a later round
  const { isOpen } = await peers.call(owner, getReservationUse, { body: { key, round, agentId } })
  if (isOpen) return
  const body = { operations: [{ opKey: key }], events: false }
  const { outcomes } = await peers.call('chain-relayer', chainRelayerApi.internal.chainOutcomes, { body })
  if (outcomes.some(outcome => outcome.known && outcome.round >= round)) return
  log.warn({ reservationId: id, key, round }, 'a reservation is freed whose command never came')
  await reservations.change(id, abandonReservation)
}
