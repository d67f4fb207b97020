import { formatUsdc, refuse } from '@carapace/api'
import { type Database, type Ledger, type LedgerEntry, type LedgerLine, openLedger, type Poster, transfer } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import { account } from './accounts.ts'

/** One side of a movement between what an agent may spend and the rest of the books. */
interface Side {
  agentId: string
  /** The other account. */
  contra: string
  /** µ, above 0 */
  amount: bigint
}

/**
 * A ledger entry, or one whose lines depend on what the agent holds in the same transaction.
 * - `hold`: the money must be available, and the account free of debt
 * - `credit`: money becomes available; the agent's debt is paid first
 * - `debit`: money has left, whether or not it is still there; what is missing becomes debt
 */
export type Booked = { lines: LedgerLine[] } | { hold: Side } | { credit: Side } | { debit: Side }
export type Posting = Omit<LedgerEntry, 'lines'> & Booked
export type TreasuryLedger = Ledger & Poster<Posting>

const mayBeNegative = (name: string): boolean => /^(ext:|clearing:|debt:|faucet$|loss$)/.test(name)

/** The treasury's ledger. Its `post` refuses a hold that is not covered with INSUFFICIENT_BALANCE and what is missing. */
export function treasuryLedger(db: Database): TreasuryLedger {
  const ledger = openLedger(db, mayBeNegative)
  const linesOf = (posting: Posting, session: ClientSession): LedgerLine[] | Promise<LedgerLine[]> => {
    if ('lines' in posting) return posting.lines
    if ('hold' in posting) return held(ledger, posting.chain, posting.hold, session)
    return 'credit' in posting ? credited(ledger, posting.chain, posting.credit, session) : debited(ledger, posting.chain, posting.debit, session)
  }
  return {
    ...ledger,
    post: async (posting, session) => {
      const { key, chain, ref, txHash = null } = posting
      return ledger.post({ key, chain, ref, txHash, lines: await linesOf(posting, session) }, session)
    },
  }
}

async function held(ledger: Ledger, chain: string, { agentId, contra, amount }: Side, session: ClientSession): Promise<LedgerLine[]> {
  const balances = await ledger.balancesOf(chain, [account.available(agentId), account.debt(agentId)], session)
  const available = balances.get(account.available(agentId)) ?? 0n
  const debt = -(balances.get(account.debt(agentId)) ?? 0n)
  if (available >= amount && debt === 0n) return transfer(account.available(agentId), contra, amount)
  const details = { chain, available: Number(available), required: Number(amount), availableFormatted: formatUsdc(available) }
  if (debt === 0n) refuse('INSUFFICIENT_BALANCE', details)
  return refuse(
    'INSUFFICIENT_BALANCE',
    { ...details, debt: Number(debt), debtFormatted: formatUsdc(debt) },
    { message: `The account is in debt by ${formatUsdc(debt)} on ${chain}, spent from deposits that the chain has dropped: deposits pay that first` },
  )
}

async function credited(ledger: Ledger, chain: string, { agentId, contra, amount }: Side, session: ClientSession): Promise<LedgerLine[]> {
  const debt = -(await ledger.balance(chain, account.debt(agentId), session))
  const repaid = debt < amount ? debt : amount
  return nonZero([
    { account: contra, debit: amount, credit: 0n },
    { account: account.debt(agentId), debit: 0n, credit: repaid },
    { account: account.available(agentId), debit: 0n, credit: amount - repaid },
  ])
}

async function debited(ledger: Ledger, chain: string, { agentId, contra, amount }: Side, session: ClientSession): Promise<LedgerLine[]> {
  const available = await ledger.balance(chain, account.available(agentId), session)
  const covered = available < amount ? available : amount
  return nonZero([
    { account: account.available(agentId), debit: covered, credit: 0n },
    { account: account.debt(agentId), debit: amount - covered, credit: 0n },
    { account: contra, debit: 0n, credit: amount },
  ])
}

const nonZero = (lines: LedgerLine[]): LedgerLine[] => lines.filter(({ debit, credit }) => debit + credit > 0n)
