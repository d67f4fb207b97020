import { type Chain, chains } from '@carapace/api'
import { type Database, type Ledger, type LedgerLine, openLedger } from '@carapace/store'
import type { ClientSession } from 'mongoose'

/** The accounts of the treasury's ledger (behaviour 8), per network. */
export const account = {
  available: (agentId: string) => `wallet:${agentId}:available`,
  reserved: (agentId: string) => `wallet:${agentId}:reserved`,
  /** What the agent owes, never above zero: credits that the chain took back after they had been spent. */
  debt: (agentId: string) => `debt:${agentId}`,
  outside: (address: string) => `ext:${address}`,
  /** Money between two owners: one entry on either side, under the key of the command that moves it. */
  clearing: (key: string) => `clearing:${key}`,
  /** Test money out of nothing. */
  faucet: 'faucet',
} as const

const mayBeNegative = (name: string): boolean => /^(ext:|clearing:|debt:|faucet$)/.test(name)
export const treasuryLedger = (db: Database): Ledger => openLedger(db, mayBeNegative)

/** What an agent holds on one network, µ. */
export interface Holding {
  available: bigint
  reserved: bigint
  /** 0 or more; while there is some, nothing is available. */
  debt: bigint
}

export async function holdingOf(ledger: Ledger, chain: Chain, agentId: string): Promise<Holding> {
  const [available, reserved, debt] = await Promise.all([
    ledger.balance(chain, account.available(agentId)),
    ledger.balance(chain, account.reserved(agentId)),
    ledger.balance(chain, account.debt(agentId)),
  ])
  return { available, reserved, debt: -debt }
}

export async function holdingsOf(ledger: Ledger, agentId: string): Promise<Record<Chain, Holding>> {
  const found = await Promise.all(chains.map(async chain => [chain, await holdingOf(ledger, chain, agentId)] as const))
  return Object.fromEntries(found) as Record<Chain, Holding>
}

/** One side of a movement between what an agent may spend and the rest of the books. */
interface Side {
  chain: Chain
  agentId: string
  /** The other account. */
  contra: string
  /** µ, above 0 */
  amount: bigint
}

/** The lines by which money becomes available to an agent: what it owes is paid first. */
export async function moneyIn(ledger: Ledger, { chain, agentId, contra, amount }: Side, session: ClientSession): Promise<LedgerLine[]> {
  const debt = -(await ledger.balance(chain, account.debt(agentId), session))
  const repaid = debt < amount ? debt : amount
  return nonZero([
    { account: contra, debit: amount, credit: 0n },
    { account: account.debt(agentId), debit: 0n, credit: repaid },
    { account: account.available(agentId), debit: 0n, credit: amount - repaid },
  ])
}

/** The lines by which money leaves an agent although nobody asked whether it is still there: what is missing is owed. */
export async function moneyOut(ledger: Ledger, { chain, agentId, contra, amount }: Side, session: ClientSession): Promise<LedgerLine[]> {
  const available = await ledger.balance(chain, account.available(agentId), session)
  const taken = available < amount ? available : amount
  return nonZero([
    { account: account.available(agentId), debit: taken, credit: 0n },
    { account: account.debt(agentId), debit: amount - taken, credit: 0n },
    { account: contra, debit: 0n, credit: amount },
  ])
}

const nonZero = (lines: LedgerLine[]): LedgerLine[] => lines.filter(({ debit, credit }) => debit + credit > 0n)
