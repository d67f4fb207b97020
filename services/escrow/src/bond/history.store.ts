import type { PageQuery } from '@carapace/api'
import { type Database, type Page, totalsOf } from '@carapace/store'
import { type ClientSession, Schema } from 'mongoose'
import type { BondEvent, BondFailure } from './outcome.ts'

type Row = BondEvent & { _id: string; createdAt: Date }
const eventSchema = new Schema(
  { _id: String, agentId: String, operationId: String, txHash: String, amount: BigInt, createdAt: Date },
  { versionKey: false },
)
eventSchema.index({ agentId: 1, createdAt: -1, _id: -1 }, { name: 'agent_newest' })
eventSchema.index({ agentId: 1, operationId: 1 }, { name: 'operation' })
eventSchema.index({ agentId: 1, gigId: 1 }, { name: 'agent_gig' })

export interface History {
  add(events: readonly BondEvent[], session: ClientSession): Promise<void>
  get(id: string): Promise<(BondEvent & { createdAt: Date }) | undefined>
  ofOperation(agentId: string, operationId: string, session?: ClientSession): Promise<(BondEvent & { createdAt: Date }) | undefined>
  /** What a transaction did to the bond of an agent. */
  ofTransaction(agentId: string, txHash: string): Promise<BondEvent[]>
  /** Whether a lock of the agent for this gig has ended. */
  wasUnlocked(agentId: string, gigId: string): Promise<boolean>
  /** Every slash of the agent, oldest first, without the rows that balance an undone reversal: those belong to no operation. */
  slashes(agentId: string): Promise<(BondEvent & { createdAt: Date })[]>
  page(agentId: string, page: PageQuery): Promise<Page<BondEvent & { createdAt: Date }>>
}

/** Everything that happened to bonds, in a collection that only grows. */
export function bondHistory(db: Database): History {
  const rows = db.collection<Row>('bond_events', eventSchema)
  const totals = totalsOf(db, 'bond_events')
  const one = async (filter: Record<string, unknown>, session?: ClientSession) => {
    const row = await rows.findOne(filter, session ? { session } : {})
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
    ofOperation: (agentId, operationId, session) => one({ agentId, operationId }, session),
    ofTransaction: async (agentId, txHash) => (await rows.find({ agentId, txHash }).toArray()).map(row => ({ ...row, id: row._id })),
    wasUnlocked: async (agentId, gigId) => (await one({ agentId, gigId, eventType: 'UNLOCK' })) !== undefined,
    slashes: async agentId =>
      (await rows.find({ agentId, eventType: 'SLASH', operationId: { $type: 'string' } }, { sort: { createdAt: 1 } }).toArray()).map(row => ({
        ...row,
        id: row._id,
      })),
    page: (agentId, { limit, offset }) =>
      totals.page({ agentId }, { limit, offset }, () => rows.find({ agentId }, { sort: { createdAt: -1, _id: -1 }, limit, skip: offset }).toArray()),
  }
}

export interface Failures {
  add(failures: readonly BondFailure[], session: ClientSession): Promise<void>
  get(id: string): Promise<(BondFailure & { createdAt: Date }) | undefined>
}

/** Commands of bonds that failed for good: no part of the history, since nothing happened. */
export function bondFailures(db: Database): Failures {
  const rows = db.collection<BondFailure & { _id: string; createdAt: Date }>(
    'bond_failures',
    new Schema({ _id: String, agentId: String, amount: BigInt, createdAt: Date }, { versionKey: false }),
  )
  return {
    add: async (failures, session) => {
      for (const failure of failures)
        await rows.updateOne({ _id: failure.id }, { $set: { ...failure, createdAt: db.clock.now() } }, { session, upsert: true })
    },
    get: async id => (await rows.findOne({ _id: id })) ?? undefined,
  }
}
