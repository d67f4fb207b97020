import type { Database } from '@carapace/store'
import { earningStore } from './earning.store.ts'
import { receiptStore } from './receipt.store.ts'

/** What an agent was paid for, and the document of it. */
export const receiptStores = (db: Database) => ({ receipts: receiptStore(db), earnings: earningStore(db) })
