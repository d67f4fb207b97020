import type { ClientSession, Collection } from 'mongoose'
import type { Database } from '../database.ts'
import type { LedgerEntry, LedgerLine } from './entry.ts'

export interface Account {
  /** `accountId` */
  _id: string
  chain: string
  account: string
  balance: bigint
}
export type Entry = Omit<LedgerEntry, 'key'> & { _id: string; at: Date }

/** A ledger as an audit reads it. */
export interface Books {
  db: Pick<Database, 'transaction' | 'collection' | 'clock'>
  entries: Collection<Entry>
  accounts: Collection<Account>
  mayBeNegative(account: string): boolean
}

export const accountId = (chain: string, account: string): string => `${chain}/${account}`

/** The network and name of an account. */
export function accountOf(id: string): { chain: string; account: string } {
  const slash = id.indexOf('/')
  return { chain: id.slice(0, slash), account: id.slice(slash + 1) }
}

/** Debits minus credits: 0n in an entry that balances. */
export const imbalanceOf = ({ lines }: Pick<Entry, 'lines'>): bigint => lines.reduce((sum, line) => sum + line.debit - line.credit, 0n)

/** Net change of each account, credits minus debits, in a fixed order so that transactions lock accounts alike. */
export function changes(lines: readonly LedgerLine[]): [string, bigint][] {
  const net = new Map<string, bigint>()
  for (const line of lines) net.set(line.account, (net.get(line.account) ?? 0n) + line.credit - line.debit)
  return [...net].filter(([, change]) => change !== 0n).sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Adds what an entry changes, by the ids of the accounts. */
export function addChanges(sums: Map<string, bigint>, { chain, lines }: Pick<Entry, 'chain' | 'lines'>): void {
  for (const [account, change] of changes(lines)) sums.set(accountId(chain, account), (sums.get(accountId(chain, account)) ?? 0n) + change)
}

/** What the entries of one account add up to; of those from `since` on, where it is given, that count. */
export async function sumOf(
  { entries }: Pick<Books, 'entries'>,
  id: string,
  session: ClientSession,
  recent?: { since: Date; isCounted(entry: Entry): boolean },
): Promise<bigint> {
  const { chain, account } = accountOf(id)
  let sum = 0n
  for await (const entry of entries.find({ chain, 'lines.account': account, ...(recent ? { at: { $gte: recent.since } } : {}) }, { session }))
    if (recent?.isCounted(entry) ?? true) for (const line of entry.lines) if (line.account === account) sum += line.credit - line.debit
  return sum
}

export const imbalanced = ({ _id }: Pick<Entry, '_id'>, by: bigint): string => `entry ${_id} is off by ${by}`
export const belowZero = (id: string, balance: bigint): string => `account ${id} is below zero: ${balance}`
export const differing = (id: string, held: bigint, sum: bigint): string => `account ${id} holds ${held}, its entries say ${sum}`
