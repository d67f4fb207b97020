import type { Chain } from '@carapace/api'
import type { PerKeyQueue } from '@carapace/service'
import { type AggregateStore, aggregateStore, type Booking, type Database, type Indexes, type Stored } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import type { Posting, TreasuryLedger } from '../ledger/ledger.ts'
import { postings, type Reservation, type ReservationDecision, upgradeReservation } from './reservation.ts'

const indexes: Indexes = {
  key_round: { key: { key: 1, round: 1 }, unique: true },
  agent_status: { key: { agentId: 1, status: 1 } },
  status_oldest: { key: { status: 1, createdAt: 1 } },
}

export type ReservationStore = AggregateStore<Reservation, ReservationDecision> & {
  of(key: string, round: number): Promise<Stored<Reservation> | undefined>
  /** The one of the highest round that is not above `round`. */
  upTo(key: string, round: number): Promise<Stored<Reservation> | undefined>
  /** Those of earlier rounds that hold money. */
  heldBefore(key: string, round: number): Promise<Stored<Reservation>[]>
  /** What an agent's held ones come to on a network, µ. */
  heldSum(chain: Chain, agentId: string, session: ClientSession): Promise<bigint>
}

type Alongside = Booking<Reservation, ReservationDecision>['alongside']

/** `alongside`: what else changes with a reservation. */
export function reservationStore(
  db: Database,
  { ledger, queue, alongside }: { ledger: TreasuryLedger; queue: PerKeyQueue; alongside: NonNullable<Alongside> },
): ReservationStore {
  const reservations = aggregateStore<Reservation, ReservationDecision, Posting>(db, {
    collection: 'reservations',
    resource: 'reservation',
    indexes,
    duplicates: { key_round: 'ALREADY_EXISTS' },
    upgrade: upgradeReservation,
    ledger,
    postings,
    alongside,
    serialize: ({ agentId }, work) => queue.serialize(agentId, work),
  })
  return {
    ...reservations,
    of: async (key, round) => (await reservations.find({ key, round }, { limit: 1 }))[0],
    upTo: async (key, round) => (await reservations.find({ key, round: { $lte: round } }, { sort: { round: -1 }, limit: 1 }))[0],
    heldBefore: async (key, round) => (round > 1 ? reservations.find({ key, round: { $lt: round }, status: 'held' }) : []),
    heldSum: async (chain, agentId, session) => {
      const held = await db.connection.collection<Reservation>('reservations').find({ agentId, chain, status: 'held' }, { session }).toArray()
      return held.reduce((sum, { amount }) => sum + amount, 0n)
    },
  }
}
