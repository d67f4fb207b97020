import { limits } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Page, totalsOf } from '@carapace/store'
import { type ClientSession, Schema } from 'mongoose'
import type { Bond } from './bond.ts'
import type { BondEvent } from './outcome.ts'

const schema = new Schema<Bond>({ wallet: String, chain: String, free: BigInt, total: BigInt, slashed: BigInt, lastSlashAt: Date, dueAt: Date })
schema.index({ dueAt: 1 }, { name: 'due', partialFilterExpression: { dueAt: { $type: 'date' } } })
schema.index({ wallet: 1 }, { name: 'wallet' })
schema.index({ total: -1, _id: -1 }, { name: 'total' })
schema.index({ 'moves.id': 1 }, { name: 'moves' })
schema.index({ 'locks.lockId': 1 }, { name: 'locks' })
schema.index({ 'locks.unlockId': 1 }, { name: 'unlocks' })
schema.index({ 'done.id': 1 }, { name: 'done' })
schema.index({ 'done.unlocked.lockId': 1 }, { name: 'done_locks' })
schema.index({ 'moves.stage': 1, updatedAt: 1 }, { name: 'moves_stage' })

export type BondStore = AggregateStore<Bond> & {
  /** The bond that waits for the outcome of this bond event, or has heard one not long ago. */
  waitingFor(bondEventId: string): Promise<{ id: string } | undefined>
  stats(healthySince: Date): Promise<{ total: bigint; bonded: number; slashed: bigint; healthy: number; high: number }>
}

const places = ['moves.id', 'locks.lockId', 'locks.unlockId', 'done.id', 'done.unlocked.lockId']

export function bondStore(db: Database): BondStore {
  const bonds = aggregateStore<Bond>(db, { collection: 'bonds', resource: 'bond', schema })
  return {
    ...bonds,
    waitingFor: async id => (await bonds.find({ $or: places.map(place => ({ [place]: id })) }, { limit: 1 }))[0],
    stats: async healthySince => {
      const [sums] = await db.connection
        .collection('bonds')
        .aggregate<{ total: bigint; slashed: bigint }>([{ $group: { _id: null, total: { $sum: '$total' }, slashed: { $sum: '$slashed' } } }])
        .toArray()
      const atLeast = (micro: bigint) => ({ total: { $gte: micro } })
      const calm = { $or: [{ lastSlashAt: null }, { lastSlashAt: { $lt: healthySince } }] }
      const [bonded, healthy, high] = await Promise.all([
        bonds.count(atLeast(limits.bond.minMicro)),
        bonds.count({ ...atLeast(limits.bond.minMicro), ...calm }),
        bonds.count(atLeast(limits.bond.highMicro)),
      ])
      return { total: BigInt(sums?.total ?? 0), slashed: BigInt(sums?.slashed ?? 0), bonded, healthy, high }
    },
  }
}

type Row = BondEvent & { _id: string; createdAt: Date }
const eventSchema = new Schema(
  { _id: String, agentId: String, operationId: String, txHash: String, amount: BigInt, createdAt: Date },
  { versionKey: false },
)
eventSchema.index({ agentId: 1, createdAt: -1, _id: -1 }, { name: 'agent_newest' })
eventSchema.index({ agentId: 1, operationId: 1 }, { name: 'operation' })

export interface History {
  add(events: readonly BondEvent[], session: ClientSession): Promise<void>
  get(id: string): Promise<(BondEvent & { createdAt: Date }) | undefined>
  ofOperation(agentId: string, operationId: string): Promise<(BondEvent & { createdAt: Date }) | undefined>
  page(agentId: string, page: { limit: number; offset: number }): Promise<Page<BondEvent & { createdAt: Date }>>
}

/** Everything that happened to bonds, in a collection that only grows. */
export function bondHistory(db: Database): History {
  const rows = db.collection<Row>('bond_events', eventSchema)
  const totals = totalsOf(db, 'bond_events')
  const one = async (filter: Record<string, unknown>) => {
    const row = await rows.findOne(filter)
    return row ? { ...row, id: row._id } : undefined
  }
  return {
    add: async (events, session) => {
      if (events.length === 0) return
      await rows.insertMany(
        events.map(({ id, ...event }) => ({ _id: id, id, ...event, createdAt: db.clock.now() })),
        { session },
      )
    },
    get: id => one({ _id: id }),
    ofOperation: (agentId, operationId) => one({ agentId, operationId }),
    page: (agentId, { limit, offset }) =>
      totals.page({ agentId }, { limit, offset }, () => rows.find({ agentId }, { sort: { createdAt: -1, _id: -1 }, limit, skip: offset }).toArray()),
  }
}
