import { paymentNonce } from '@carapace/chain'
import type { PerKeyQueue } from '@carapace/service'
import { type AggregateStore, aggregateStore, type Booking, type Database, type Decision, type Indexes, type Stored } from '@carapace/store'
import { type Payment, upgradePayment } from './payment.ts'

const indexes: Indexes = {
  sender_status_newest: { key: { fromAgentId: 1, status: 1, createdAt: -1, _id: -1 } },
  status_due_id: { key: { status: 1, executeAfter: 1, _id: 1 } },
  nonce: { key: { nonce: 1 }, unique: true },
}

export type PaymentStore = AggregateStore<Payment> & {
  /** Pending ones whose time has come, the longest waiting first: a page of those after `last`. */
  due(now: Date, limit: number, last?: Stored<Payment>): Promise<Stored<Payment>[]>
  /** The payments of these token nonces. */
  byNonces(nonces: readonly string[]): Promise<Map<string, Stored<Payment>>>
}

type Alongside = Booking<Payment, Decision<Payment>>['alongside']

/** `alongside`: what else changes with a payment. */
export function paymentStore(db: Database, { queue, alongside }: { queue: PerKeyQueue; alongside: NonNullable<Alongside> }): PaymentStore {
  const payments = aggregateStore<Payment>(db, {
    collection: 'payments',
    resource: 'payment',
    optimistic: true,
    indexes,
    upgrade: upgradePayment,
    derive: payment => (payment.nonce === undefined ? { ...payment, nonce: paymentNonce(payment.id) } : payment),
    alongside,
    serialize: ({ fromAgentId }, work) => queue.serialize(fromAgentId, work),
  })
  return {
    ...payments,
    due: (now, limit, last) => {
      const from = last && { $or: [{ executeAfter: { $gt: last.executeAfter } }, { executeAfter: last.executeAfter, _id: { $gt: last.id } }] }
      return payments.find({ status: 'pending', executeAfter: { $lte: now }, ...from }, { sort: { executeAfter: 1, _id: 1 }, limit })
    },
    byNonces: async nonces => {
      const found = await payments.find({ nonce: { $in: nonces } })
      return new Map(found.map(payment => [payment.nonce!, payment]))
    },
  }
}
