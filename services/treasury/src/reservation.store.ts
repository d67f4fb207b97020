import type { Chain } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Stored } from '@carapace/store'
import { type ClientSession, Schema } from 'mongoose'
import type { Reservation } from './reservation.ts'

const schema = new Schema<Reservation>({
  owner: String,
  key: String,
  round: Number,
  agentId: String,
  amount: BigInt,
  chain: String,
  status: String,
  seq: Number,
})
schema.index({ key: 1, round: 1 }, { name: 'key_round', unique: true })
schema.index({ agentId: 1, status: 1 }, { name: 'agent_status' })
schema.index({ status: 1, createdAt: 1 }, { name: 'status_oldest' })

export type ReservationStore = AggregateStore<Reservation> & {
  of(key: string, round: number): Promise<Stored<Reservation> | undefined>
  /** The one of the highest round that is not above `round`. */
  upTo(key: string, round: number): Promise<Stored<Reservation> | undefined>
  /** What an agent's held ones come to on a network, µ. */
  heldSum(chain: Chain, agentId: string, session: ClientSession): Promise<bigint>
}

export function reservationStore(db: Database): ReservationStore {
  const reservations = aggregateStore<Reservation>(db, {
    collection: 'reservations',
    resource: 'reservation',
    schema,
    duplicates: { key_round: 'ALREADY_EXISTS' },
  })
  return {
    ...reservations,
    of: async (key, round) => (await reservations.find({ key, round }, { limit: 1 }))[0],
    upTo: async (key, round) => (await reservations.find({ key, round: { $lte: round } }, { sort: { round: -1 }, limit: 1 }))[0],
    heldSum: async (chain, agentId, session) => {
      const held = await db.connection.collection<Reservation>('reservations').find({ agentId, chain, status: 'held' }, { session }).toArray()
      return held.reduce((sum, { amount }) => sum + amount, 0n)
    },
  }
}
