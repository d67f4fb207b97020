import type { Database } from '@carapace/store'
import type { TreasuryLedger } from '../ledger/ledger.ts'
import { openAnswers } from './answers.store.ts'
import { x402PaymentStore } from './payment.store.ts'
import { transferStore } from './transfer.store.ts'

export const x402Stores = (db: Database, ledger: TreasuryLedger) => ({
  x402: x402PaymentStore(db, ledger),
  x402Answers: openAnswers(db),
  x402Transfers: transferStore(db),
  /** Ids of payments that a request of this process works on. */
  x402Requests: new Set<string>(),
})
