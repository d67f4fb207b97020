import type { PageQuery } from '@carapace/api'
import { type Database, type Indexes, type Page, totalsOf } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import type { BondEvent, BondFailure } from './bond-event.ts'

type Row = BondEvent & { _id: string; createdAt: Date }
const eventIndexes: Indexes = {
  agent_newest: { key: { agentId: 1, createdAt: -1, _id: -1 } },
  operation: { key: { agentId: 1, operationId: 1 } },
  agent_gig: { key: { agentId: 1, gigId: 1 } },
}

export interface BondEvents {
  /** @param bondVersion of the bond with these events */
  add(events: readonly BondEvent[], bondVersion: number, session: ClientSession): Promise<void>
  get(id: string): Promise<(BondEvent & { createdAt: Date }) | undefined>
  /** What a command has done as the chain has it now; undefined when nothing, also when that was reversed. */
  current(id: string): Promise<(BondEvent & { createdAt: Date }) | undefined>
  /** The newest row of a command, which may be the one that balances another. */
  newest(id: string): Promise<(BondEvent & { createdAt: Date }) | undefined>
  ofOperation(agentId: string, operationId: string, session?: ClientSession): Promise<(BondEvent & { createdAt: Date }) | undefined>
  /** What a transaction did to the bond of an agent. */
  ofTransaction(agentId: string, txHash: string): Promise<BondEvent[]>
  /** Whether a lock of the agent for this gig has ended. */
  wasUnlocked(agentId: string, gigId: string): Promise<boolean>
  /** Every slash of the agent, oldest first, without the rows that balance a failed reversal: those belong to no operation. */
  slashes(agentId: string): Promise<(BondEvent & { createdAt: Date })[]>
  page(agentId: string, page: PageQuery): Promise<Page<BondEvent & { createdAt: Date }>>
}

/** Whether a row reverses an earlier one. */
export const isBalancing = ({ id }: Pick<BondEvent, 'id'>): boolean => id.includes('-undone')

/** Everything that happened to bonds, in a collection that only grows. */
export function bondEventStore(db: Database): BondEvents {
  const rows = db.collection<Row>('bond_events', eventIndexes)
  const totals = totalsOf(db, 'bond_events')
  const one = async (filter: Record<string, unknown>, session?: ClientSession) => {
    const row = await rows.findOne(filter, session ? { session } : {})
    return row ? { ...row, id: row._id } : undefined
  }
  /** Rows of effects that came back are named after the command, too. */
  const newest = async (id: string) => {
    const [row] = await rows.find({ _id: { $gte: id, $lt: `${id}.` } }, { sort: { bondVersion: -1 }, limit: 1 }).toArray()
    return row ? { ...row, id: row._id } : undefined
  }
  return {
    newest,
    current: async id => {
      const row = await newest(id)
      return row && !isBalancing(row) ? row : undefined
    },
    add: async (events, bondVersion, session) => {
      if (events.length === 0) return
      await rows.insertMany(
        events.map(({ id, ...event }) => ({ _id: id, id, ...event, bondVersion, createdAt: db.clock.now() })),
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

export interface BondFailures {
  add(failures: readonly BondFailure[], session: ClientSession): Promise<void>
  get(id: string): Promise<(BondFailure & { createdAt: Date }) | undefined>
}

/** Commands of bonds that failed for good: no part of the history, since nothing happened. */
export function bondFailureStore(db: Database): BondFailures {
  const rows = db.collection<BondFailure & { _id: string; createdAt: Date }>('bond_failures')
  return {
    add: async (failures, session) => {
      for (const failure of failures)
        await rows.updateOne({ _id: failure.id }, { $set: { ...failure, createdAt: db.clock.now() } }, { session, upsert: true })
    },
    get: async id => (await rows.findOne({ _id: id })) ?? undefined,
  }
}
