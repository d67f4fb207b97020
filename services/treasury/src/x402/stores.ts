import { endlessWalk } from '@carapace/service'
import type { Database } from '@carapace/store'
import type { TreasuryLedger } from '../ledger/ledger.ts'
import { openAnswers } from './answers.store.ts'
import { x402PaymentStore } from './payment.store.ts'
import { transferStore } from './transfer.store.ts'

export function x402Stores(db: Database, ledger: TreasuryLedger) {
  const x402 = x402PaymentStore(db, ledger)
  return {
    x402,
    /** Those that are compared with the chain in this minute. */
    paymentsOfMinute: endlessWalk(x402, 50),
    x402Answers: openAnswers(db),
    x402Transfers: transferStore(db),
    /** Ids of payments that a request of this process works on. */
    x402Requests: new Set<string>(),
  }
}
