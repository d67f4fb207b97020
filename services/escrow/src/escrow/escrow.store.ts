import { type AggregateStore, aggregateStore, type Database } from '@carapace/store'
import { Schema } from 'mongoose'
import type { Escrow } from './escrow.ts'

const schema = new Schema<Escrow>({
  escrowId: String,
  posterId: String,
  status: String,
  amount: BigInt,
  dueAt: Date,
})
schema.index({ dueAt: 1 }, { name: 'due', partialFilterExpression: { dueAt: { $type: 'date' } } })
schema.index({ status: 1, updatedAt: 1 }, { name: 'status_updated' })

export type EscrowStore = AggregateStore<Escrow>

/** One document per gig, under the gig's id. */
export const escrowStore = (db: Database): EscrowStore => aggregateStore<Escrow>(db, { collection: 'escrows', resource: 'escrow', schema })
