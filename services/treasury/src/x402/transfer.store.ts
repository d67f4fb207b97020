import { type AggregateStore, aggregateStore, type Database, type Indexes, type Stored } from '@carapace/store'
import type { X402Transfer } from './transfer.ts'

const indexes: Indexes = {
  due: { key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $type: 'date' } } },
  state_newest: { key: { state: 1, createdAt: -1, _id: -1 } },
}

export type TransferStore = AggregateStore<X402Transfer> & {
  /** Those whose wait is over. */
  due(now: Date, limit: number): Promise<Stored<X402Transfer>[]>
  /** How many there are, and what they come to, µ. */
  figures(filter: Partial<Pick<X402Transfer, 'state' | 'payTo' | 'chain'>>): Promise<{ count: number; amount: bigint }>
}

export function transferStore(db: Database): TransferStore {
  const transfers = aggregateStore<X402Transfer>(db, { collection: 'x402_transfers', resource: 'x402 transfer', indexes })
  return {
    ...transfers,
    due: (now, limit) => transfers.find({ dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit }),
    figures: async filter => {
      const [found] = await transfers.collection
        .aggregate<{ count: number; amount: bigint }>([
          { $match: filter },
          { $group: { _id: null, count: { $sum: 1 }, amount: { $sum: '$amount' } } },
        ])
        .toArray()
      return { count: Number(found?.count ?? 0), amount: BigInt(found?.amount ?? 0) }
    },
  }
}
