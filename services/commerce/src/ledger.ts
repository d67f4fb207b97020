import { type Database, type Ledger, openLedger } from '@carapace/store'

/** The accounts of the commerce ledger (behaviour 8), per network; the outside and what other services book on their side may be negative. */
export const account = {
  job: (jobId: string) => `job:${jobId}`,
  outside: (address: string) => `ext:${address}`,
  /** What the fee pool has on chain beyond what any service books of it. */
  unbookedFees: 'ext:fee-pool',
  /** Between two services: one entry on each side, under the key of the command that moves the money. */
  clearing: (key: string) => `clearing:${key}`,
} as const

const mayBeNegative = (name: string): boolean => /^(ext:|clearing:)/.test(name)
export const commerceLedger = (db: Database): Ledger => openLedger(db, mayBeNegative)
