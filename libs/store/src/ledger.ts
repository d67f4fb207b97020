import { refuse } from '@carapace/api'
import type { ClientSession } from 'mongoose'
import type { Database } from './database.ts'
import { duplicateIndex } from './errors/duplicate.ts'
import type { Indexes } from './indexes.ts'
import { newsAudit } from './ledger-audit/audit-news.ts'
import { auditWhole } from './ledger-audit/audit-whole.ts'
import { type Account, accountId, changes, type Entry, imbalanceOf } from './ledger-audit/books.ts'
import type { LedgerEntry, LedgerLine } from './ledger-audit/entry.ts'

export interface Ledger {
  /**
   * Posts an entry inside the transaction. Resolves to false when its key was posted before (nothing changes).
   * @throws INSUFFICIENT_BALANCE when an account that must not fall below zero would
   * @throws Error when debits and credits differ or a line is malformed
   */
  post(entry: LedgerEntry, session: ClientSession): Promise<boolean>
  /** micro-USDC; credits minus debits. 0n for an account that was never used. */
  balance(chain: string, account: string, session?: ClientSession): Promise<bigint>
  /** Those of several accounts that were used before, in one read, micro-USDC. */
  balancesOf(chain: string, accounts: readonly string[], session?: ClientSession): Promise<Map<string, bigint>>
  /** Accounts whose name starts with `prefix`, with their balances: the first ones after `after`, in the order of their names. */
  balances(chain: string, prefix: string, page: { after: string; limit: number }): Promise<Map<string, bigint>>
  /** Accounts of all networks whose name starts with `prefix` and whose balance is not zero, in one read however many are empty. */
  open(prefix: string): Promise<OpenAccounts>
  entries(filter: Record<string, unknown>, options?: { limit?: number; offset?: number }): Promise<(LedgerEntry & { at: Date })[]>
  /** What is wrong, as sentences; empty when every entry balances and every account is the sum of its lines. Reads all of them. */
  audit(): Promise<string[]>
  /** The same of what is new since the last time, and of some of the rest: see `newsAudit`. */
  auditNews(): Promise<string[]>
}

/** Balances that are not zero, by network and account. */
export interface OpenAccounts {
  on(chain: string): ReadonlyMap<string, bigint>
  /** Of all networks: no account of this prefix is of two. */
  all(): ReadonlyMap<string, bigint>
}

const entryIndexes: Indexes = {
  lines_account: { key: { 'lines.account': 1, at: -1, _id: -1 } },
  ref: { key: { 'ref.id': 1 } },
  tx_hash: { key: { txHash: 1 } },
  at: { key: { at: 1, _id: 1 } },
}
const accountIndexes: Indexes = {
  chain_account: { key: { chain: 1, account: 1 }, unique: true },
  above_zero: { key: { account: 1 }, partialFilterExpression: { balance: { $gt: 0 } } },
  below_zero: { key: { account: 1 }, partialFilterExpression: { balance: { $lt: 0 } } },
}

/**
 * A double-entry ledger: every movement is one entry with equal debits and credits, and entries never change.
 * @param mayBeNegative accounts that represent the outside
 */
export function openLedger(db: Database, mayBeNegative: (account: string) => boolean): Ledger {
  const accounts = db.collection<Account>('ledger_accounts', accountIndexes)
  const entries = db.collection<Entry>('ledger_entries', entryIndexes)
  const books = { db, entries, accounts, mayBeNegative }

  return {
    post: async (entry, session) => {
      check(entry)
      const { key, ...rest } = entry
      const { matchedCount } = await entries.updateOne({ _id: key }, { $setOnInsert: { ...rest, at: db.clock.now() } }, { session, upsert: true })
      if (matchedCount === 1) return false
      const written = changes(entry.lines).map(([account, change]) => ({ account, change, hasFloor: change < 0n && !mayBeNegative(account) }))
      // all in one write; where several may not be covered each is its own, so that the refusal names the right one
      const groups = written.filter(({ hasFloor }) => hasFloor).length > 1 ? written.map(one => [one]) : [written]
      for (const group of groups.filter(({ length }) => length > 0)) {
        const updates = group.map(({ account, change, hasFloor }) => ({
          updateOne: {
            filter: { _id: accountId(entry.chain, account), ...(hasFloor ? { balance: { $gte: -change } } : {}) },
            update: { $inc: { balance: change }, $setOnInsert: { chain: entry.chain, account } },
            upsert: !hasFloor,
          },
        }))
        const { matchedCount, upsertedCount } = await accounts
          .bulkWrite(updates, { session })
          .catch((error: unknown) => (duplicateIndex(error) ? refuse('CONFLICT') : Promise.reject(error)))
        if (matchedCount + upsertedCount < group.length) refuse('INSUFFICIENT_BALANCE', { account: group.find(({ hasFloor }) => hasFloor)!.account })
      }
      return true
    },
    balance: async (chain, account, session) =>
      (await accounts.findOne({ _id: accountId(chain, account) }, session ? { session } : {}))?.balance ?? 0n,
    balancesOf: async (chain, names, session) => {
      const rows = await accounts.find({ _id: { $in: names.map(account => accountId(chain, account)) } }, session ? { session } : {}).toArray()
      return new Map(rows.map(row => [row.account, row.balance]))
    },
    balances: async (chain, prefix, page) => {
      const range = { $lt: `${prefix}\uffff`, ...(page.after ? { $gt: page.after } : { $gte: prefix }) }
      const rows = await accounts.find({ chain, account: range }, { sort: { account: 1 }, limit: page.limit }).toArray()
      return new Map(rows.map(row => [row.account, row.balance]))
    },
    open: async prefix => {
      const where = (balance: object) => [{ $match: { account: { $gte: prefix, $lt: `${prefix}\uffff` }, balance } }]
      const below = { $unionWith: { coll: accounts.collectionName, pipeline: where({ $lt: 0 }) } }
      const rows = await accounts.aggregate<Account>([...where({ $gt: 0 }), below]).toArray()
      const balances = (found: readonly Account[]) => new Map(found.map(({ account, balance }) => [account, balance]))
      return { on: chain => balances(rows.filter(row => row.chain === chain)), all: () => balances(rows) }
    },
    entries: async (filter, { limit = 0, offset = 0 } = {}) => {
      const rows = await entries.find(filter, { sort: { at: -1, _id: -1 }, limit, skip: offset }).toArray()
      return rows.map(({ _id, ...entry }) => ({ key: _id, ...entry }))
    },
    audit: () => auditWhole(books),
    auditNews: newsAudit(books),
  }
}

function check(entry: LedgerEntry): void {
  const malformed = entry.lines.some(line => line.debit < 0n || line.credit < 0n || line.debit > 0n === line.credit > 0n)
  if (imbalanceOf(entry) !== 0n || malformed || entry.lines.length < 2) throw new Error(`ledger entry ${entry.key} does not balance`)
}

/** The two lines that move an amount (micro-USDC) from one account to another. */
export function transfer(from: string, to: string, amount: bigint): LedgerLine[] {
  return [
    { account: from, debit: amount, credit: 0n },
    { account: to, debit: 0n, credit: amount },
  ]
}
