import { limits } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database, type Page, type Share, totalsOf } from '@carapace/store'
import { type ClientSession, Schema } from 'mongoose'
import type { Bond } from './bond.ts'
import type { BondEvent } from './outcome.ts'

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
schema.index({ 'moves.stage': 1, updatedAt: 1 }, { name: 'moves_stage' })

export type BondStore = AggregateStore<Bond> & {
  /** The bond that waits for the outcome of this bond event, or has heard one not long ago. */
  waitingFor(bondEventId: string): Promise<{ id: string } | undefined>
  stats(healthySince: Date): Promise<{ total: bigint; bonded: number; slashed: bigint; healthy: number; high: number }>
}

const places = ['moves.id', 'locks.lockId', 'locks.unlockId', 'done.id', 'done.unlocked.lockId']

export function bondStore(db: Database): BondStore {
  const bonds = aggregateStore<Bond>(db, { collection: 'bonds', resource: 'bond', schema, shareOf })
  return {
    ...bonds,
    waitingFor: async id => (await bonds.find({ $or: places.map(place => ({ [place]: id })) }, { limit: 1 }))[0],
    stats: async healthySince => {
      const firstDay = dayOf(healthySince)
      const lastDay = dayOf(db.clock.now())
      const inFirstDay = { lastSlashAt: { $gte: healthySince, $lt: startOf(firstDay + 1) }, total: { $gte: limits.bond.minMicro } }
      const [of, slashedInFirstDay] = await Promise.all([bonds.sums(), bonds.count(inFirstDay)])
      const laterDays = Array.from({ length: lastDay - firstDay }, (_, n) => Number(of(slashedOn(firstDay + 1 + n))))
      const bonded = Number(of('bonded'))
      const healthy = bonded - slashedInFirstDay - laterDays.reduce((sum, count) => sum + count, 0)
      return { total: of('total'), slashed: of('slashed'), bonded, healthy, high: Number(of('high')) }
    },
  }
}

/** What one bond adds to the figures of all; bonded ones by the day of their last slash too. */
function shareOf({ total, slashed, lastSlashAt }: Bond): Share {
  const isBonded = total >= limits.bond.minMicro
  const high = total >= limits.bond.highMicro ? 1n : 0n
  const lastSlash: Record<string, bigint> = isBonded && lastSlashAt ? { [slashedOn(dayOf(lastSlashAt))]: 1n } : {}
  return { sums: { total, slashed, bonded: isBonded ? 1n : 0n, high, ...lastSlash } }
}

const dayMs = 86_400_000
/** Days of UTC since 1970. */
const dayOf = (time: Date): number => Math.floor(time.getTime() / dayMs)
const startOf = (day: number): Date => new Date(day * dayMs)
const slashedOn = (day: number): string => `slashed on ${startOf(day).toISOString().slice(0, 10)}`

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
