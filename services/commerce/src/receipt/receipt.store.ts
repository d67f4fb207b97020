import { type AggregateStore, aggregateStore, type Database } from '@carapace/store'
import type { Receipt } from './receipt.ts'

export type ReceiptStore = AggregateStore<Receipt>

/** One document per job, under the job's id. */
export const receiptStore = (db: Database): ReceiptStore => aggregateStore<Receipt>(db, { collection: 'receipts', resource: 'receipt' })
