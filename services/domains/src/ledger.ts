import { type Database, type Ledger, openLedger } from '@carapace/store'

/** The accounts of the ledger of domains (behaviour 8); the outside and what treasury books on its side may be negative. */
export const account = {
  /** What names have earned; the registry of each network holds it. */
  income: 'domain-income',
  outside: (address: string) => `ext:${address}`,
  /** Between this service and treasury: one entry on each side, under the key of the command that moves the money. */
  clearing: (opKey: string) => `clearing:${opKey}`,
} as const

export const domainsLedger = (db: Database): Ledger => openLedger(db, name => /^(ext|clearing):/.test(name))
