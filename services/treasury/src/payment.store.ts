import type { Draft } from '@carapace/api'
import { paymentNonce } from '@carapace/chain'
import { type AggregateStore, aggregateStore, type ChangeOptions, type Database, type Stored } from '@carapace/store'
import { Schema } from 'mongoose'
import type { Payment } from './payment.ts'

const schema = new Schema<Payment & { nonce: string }>({ fromAgentId: String, status: String, executeAfter: Date, amount: BigInt, nonce: String })
schema.index({ fromAgentId: 1, status: 1, createdAt: -1, _id: -1 }, { name: 'sender_status_newest' })
schema.index({ status: 1, executeAfter: 1, _id: 1 }, { name: 'status_due_id' })
schema.index({ nonce: 1 }, { name: 'nonce', unique: true })

export type PaymentStore = AggregateStore<Payment> & {
  /** Pending ones whose time has come, the longest waiting first: a page of those after `last`. */
  due(now: Date, limit: number, last?: Stored<Payment>): Promise<Stored<Payment>[]>
  /** The payments behind these token nonces. */
  byNonces(nonces: readonly string[]): Promise<Map<string, Stored<Payment>>>
}

export function paymentStore(db: Database): PaymentStore {
  const payments = aggregateStore<Payment & { nonce: string }>(db, { collection: 'payments', resource: 'payment', schema })
  return {
    ...(payments as unknown as AggregateStore<Payment>),
    create: (payment: Payment, events: Draft[], options?: ChangeOptions) =>
      payments.create({ ...payment, nonce: paymentNonce(payment.id) }, events, options),
    due: (now, limit, last) => {
      const from = last && { $or: [{ executeAfter: { $gt: last.executeAfter } }, { executeAfter: last.executeAfter, _id: { $gt: last.id } }] }
      return payments.find({ status: 'pending', executeAfter: { $lte: now }, ...from }, { sort: { executeAfter: 1, _id: 1 }, limit })
    },
    byNonces: async nonces => {
      const found = await payments.find({ nonce: { $in: nonces } })
      return new Map(found.map(payment => [payment.nonce, payment]))
    },
  }
}
