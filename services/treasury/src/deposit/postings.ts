import type { Posting } from '../ledger/ledger.ts'
import type { Deposit } from './deposit.store.ts'

/** What a change of a deposit means for the ledger: a pure function of the two states. It is credited or it is not; of one never credited nothing is booked. */
export function depositPostings(before: Deposit | undefined, after: Deposit): Posting[] {
  const { id, walletId, agentId, chain, amount, txHash, source, status, posting, entryKey } = after
  if (status === (before?.status ?? 'dropped')) return []
  const entry = { chain, ref: { type: 'deposit', id: walletId }, txHash }
  const side = { agentId, contra: source, amount }
  if (status === 'dropped') return [{ key: `deposit-reversal:${id}:${posting}`, ...entry, debit: side }]
  return [{ key: posting === 1 ? entryKey : `deposit:${id}:${posting}`, ...entry, credit: side }]
}
