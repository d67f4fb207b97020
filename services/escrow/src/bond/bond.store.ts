import { type AggregateStore, aggregateStore, type Database } from '@carapace/store'
import { Schema } from 'mongoose'
import type { Bond } from './bond.ts'
import { shareOf } from './statistics.ts'

const schema = new Schema<Bond>({ wallet: String, chain: String, free: BigInt, total: BigInt, slashed: BigInt, lastSlashAt: Date, dueAt: Date })
schema.index({ dueAt: 1 }, { name: 'due', partialFilterExpression: { dueAt: { $type: 'date' } } })
schema.index({ wallet: 1 }, { name: 'wallet' })
// before `total`: of two that fit equally well the first is taken
schema.index({ lastSlashAt: 1, total: 1 }, { name: 'last_slash' })
schema.index({ total: -1, _id: -1 }, { name: 'total' })
schema.index({ 'moves.id': 1 }, { name: 'moves' })
schema.index({ 'locks.lockId': 1 }, { name: 'locks' })
schema.index({ 'locks.unlockId': 1 }, { name: 'unlocks' })
schema.index({ 'done.id': 1 }, { name: 'done' })
schema.index({ 'done.unlocked.lockId': 1 }, { name: 'done_locks' })
schema.index({ 'locks.stage': 1 }, { name: 'locks_stage' })
schema.index({ 'moves.stage': 1, updatedAt: 1 }, { name: 'moves_stage' })

export type BondStore = AggregateStore<Bond> & {
  /** The bond that waits for the outcome of this bond event, or has heard one not long ago. */
  waitingFor(bondEventId: string): Promise<{ id: string } | undefined>
}

const places = ['moves.id', 'locks.lockId', 'locks.unlockId', 'done.id', 'done.unlocked.lockId']

export function bondStore(db: Database): BondStore {
  const bonds = aggregateStore<Bond>(db, { collection: 'bonds', resource: 'bond', schema, shareOf })
  return {
    ...bonds,
    waitingFor: async id => {
      const row = await bonds.collection.findOne({ $or: places.map(place => ({ [place]: id })) }, { projection: { _id: 1 } })
      return row ? { id: String(row._id) } : undefined
    },
  }
}
