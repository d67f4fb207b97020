import type { LedgerEntry } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import { account } from '../ledger/accounts.ts'
import type { Parts } from '../parts.ts'
import type { Deposit } from './deposit.store.ts'

const noAddress = `0x${'0'.repeat(40)}`

type Seen = Pick<Deposit, 'id' | 'chain' | 'txHash' | 'walletId' | 'agentId' | 'to' | 'from' | 'amount'>

/**
 * What the books have of a transfer: its record, or an entry of the time when deposits were booked by block hash and log index. Of several equal
 * entries of one transaction it does not matter which belongs to which log, only that each belongs to one.
 * @param mayBeDropped false: nothing but its record is wanted of one that was announced as dropped
 */
export async function findDeposit(parts: Parts, seen: Seen, session: ClientSession, mayBeDropped = true): Promise<Deposit | undefined> {
  const stored = await parts.deposits.get(seen.id, session)
  // of one that was never credited nothing is known but that it was dropped
  if (stored && (stored.posting > 0 || !mayBeDropped)) return stored
  const entries = await oldEntries(parts, seen)
  if (entries.length === 0) return stored
  const byEntry = new Map((await parts.deposits.ofTransaction(seen.chain, seen.txHash, session)).map(deposit => [deposit.entryKey, deposit]))
  // one that was reversed belongs to the log only where no other does: it may have been booked twice
  const isDropped = ({ key }: LedgerEntry) => byEntry.get(key)?.status === 'dropped'
  for (const entry of [...entries.filter(found => !isDropped(found)), ...entries.filter(isDropped)]) {
    const other = byEntry.get(entry.key)
    if (other && !hasOldName(other)) continue
    if (other) await parts.deposits.remove(other.id, session)
    const deposit = other ? { ...other, id: seen.id } : await depositOf(parts, seen, entry)
    await parts.deposits.adopt(deposit, session)
    return deposit
  }
  return stored
}

/** The record of an entry under the old key, made where there is none. `from` and `to` are what the log says. */
export async function adoptOld(parts: Parts, seen: Seen, logId: string, session: ClientSession): Promise<Deposit | undefined> {
  const recorded = (await parts.deposits.ofTransaction(seen.chain, seen.txHash, session)).find(({ entryKey }) => entryKey === oldKey(logId))
  if (recorded) return recorded
  const entry = (await oldEntries(parts, seen)).find(({ key }) => key === oldKey(logId))
  return entry && depositOf(parts, seen, entry)
}

const oldKey = (logId: string): string => `deposit:${logId}`
/** Named before the position of its log was known. */
export const hasOldName = ({ id, chain, txHash }: Deposit): boolean => !id.startsWith(`${chain}:${txHash}:`)

/** Whether an entry credits a deposit under its block hash and log index. */
export const isOldEntry = ({ key, chain, ref, txHash }: Pick<LedgerEntry, 'key' | 'chain' | 'ref' | 'txHash'>): boolean =>
  ref.type === 'deposit' && key.startsWith('deposit:') && !key.startsWith(`deposit:${chain}:${txHash}:`)

/** Entries of the transaction under keys of the old form that credit the same account with the same amount. */
async function oldEntries({ ledger }: Parts, { chain, txHash, agentId, amount }: Seen): Promise<LedgerEntry[]> {
  const found = await ledger.entries({ txHash })
  return found.filter(
    ({ key, chain: network, ref, lines }) =>
      network === chain &&
      isOldEntry({ key, chain: network, ref, txHash }) &&
      lines.some(line => line.account === account.available(agentId) && line.credit === amount),
  )
}

async function depositOf({ history }: Parts, seen: Seen, entry: LedgerEntry): Promise<Deposit> {
  const historyId = await history.creditOf(seen.agentId, seen.txHash, seen.amount)
  return { ...recordOf(seen, entry), from: seen.from, historyId }
}

/** The record of an entry; its line in the history is found by the caller that stores it. */
export function recordOf(seen: Omit<Seen, 'from'>, entry: LedgerEntry): Deposit {
  const { id, chain, txHash, walletId, agentId, to, amount } = seen
  const source = entry.lines.find(({ debit }) => debit > 0n)!.account
  const from = source.startsWith(account.outside('')) ? source.slice(account.outside('').length) : noAddress
  return { id, chain, txHash, walletId, agentId, to, from, amount, source, status: 'credited', posting: 1, entryKey: entry.key, historyId: null }
}
