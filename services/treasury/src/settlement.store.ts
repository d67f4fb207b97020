import type { Chain } from '@carapace/api'
import { type AggregateStore, aggregateStore, type Database } from '@carapace/store'
import { Schema } from 'mongoose'

/** An x402 payment that was settled. */
export interface Settlement {
  id: string
  agentId: string | null
  payer: string
  /** Method and path template. */
  route: string
  /** µ */
  amount: bigint
  chain: Chain
  txHash: string
  scheme: 'spec' | 'v1' | 'v2'
  state: string
  settledAt: Date
}

interface SettlementFigures {
  count: number
  amount: bigint
  payers: number
  byRoute: { route: string; count: number; amount: bigint }[]
}

const schema = new Schema<Settlement>({ agentId: String, payer: String, route: String, amount: BigInt, settledAt: Date })
schema.index({ agentId: 1, createdAt: -1, _id: -1 }, { name: 'agent_newest' })

export type SettlementStore = AggregateStore<Settlement> & { figures(): Promise<SettlementFigures> }

export function settlementStore(db: Database): SettlementStore {
  const settlements = aggregateStore<Settlement>(db, { collection: 'x402_settlements', resource: 'settlement', schema })
  const rows = () => db.connection.collection('x402_settlements')
  return {
    ...settlements,
    figures: async () => {
      const byRoute = await rows()
        .aggregate<{ _id: string; count: number; amount: bigint }>([
          { $group: { _id: '$route', count: { $sum: 1 }, amount: { $sum: '$amount' } } },
          { $sort: { _id: 1 } },
        ])
        .toArray()
      const [payers] = await rows()
        .aggregate<{ count: number }>([{ $group: { _id: '$payer' } }, { $group: { _id: null, count: { $sum: 1 } } }])
        .toArray()
      return {
        count: byRoute.reduce((sum, { count }) => sum + Number(count), 0),
        amount: byRoute.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
        payers: Number(payers?.count ?? 0),
        byRoute: byRoute.map(({ _id, count, amount }) => ({ route: _id, count: Number(count), amount: BigInt(amount) })),
      }
    },
  }
}
