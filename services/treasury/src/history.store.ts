import type { Chain, PageQuery } from '@carapace/api'
import { type Database, type Indexes, type Page, totalsOf } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import type { PaymentStatus } from './payment/payment.ts'

/** One line of an agent's history; a debit has the id of its reservation (a payment's own is the payment's). */
export interface Movement {
  id: string
  agentId: string
  type: 'credit' | 'debit'
  status: PaymentStatus
  /** µ */
  amount: bigint
  chain: Chain
  counterpartyId: string | null
  gigId: string | null
  txHash: string | null
  description: string
  /** The block of its transaction cannot go away any more. */
  isFinal: boolean
  at: Date
  changedAt: Date
}

type Row = Omit<Movement, 'id'> & { _id: string }

const indexes: Indexes = {
  agent_newest: { key: { agentId: 1, at: -1, _id: -1 } },
}

export interface History {
  add(movement: Omit<Movement, 'changedAt'>, session: ClientSession): Promise<void>
  change(id: string, fields: Partial<Pick<Movement, 'status' | 'txHash' | 'isFinal'>>, session?: ClientSession): Promise<void>
  get(id: string): Promise<Movement | undefined>
  /** Id of the line of a credit (µ) that a transaction caused and that was not reversed. */
  creditOf(agentId: string, txHash: string, amount: bigint, session?: ClientSession): Promise<string | null>
  page(agentId: string, page: PageQuery): Promise<Page<Movement>>
}

/** What agents are shown of the movements of their money; written with the ledger's entries, in the same transaction. */
export function historyStore(db: Database): History {
  const rows = db.collection<Row>('history', indexes)
  const totals = totalsOf(db, 'history')
  const view = ({ _id, ...row }: Row): Movement => ({ id: _id, ...row })
  return {
    add: async ({ id, ...row }, session) => {
      await rows.insertOne({ _id: id, ...row, changedAt: row.at }, { session })
    },
    change: async (id, fields, session) => {
      await rows.updateOne({ _id: id }, { $set: { ...fields, changedAt: db.clock.now() } }, session ? { session } : {})
    },
    get: async id => {
      const row = await rows.findOne({ _id: id })
      return row ? view(row) : undefined
    },
    creditOf: async (agentId, txHash, amount, session) => {
      const filter = { agentId, type: 'credit' as const, status: 'executed' as const, txHash, amount }
      return (await rows.findOne(filter, { projection: { _id: 1 }, ...(session ? { session } : {}) }))?._id ?? null
    },
    page: (agentId, { limit, offset }) =>
      totals.page({ agentId }, { limit, offset }, async () =>
        (await rows.find({ agentId }, { sort: { at: -1, _id: -1 }, limit, skip: offset }).toArray()).map(view),
      ),
  }
}
