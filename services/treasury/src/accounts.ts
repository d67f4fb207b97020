import { type Chain, chains } from '@carapace/api'
import { type Database, type Ledger, openLedger } from '@carapace/store'

/** The accounts of the treasury's ledger (behaviour 8), per network. */
export const account = {
  available: (agentId: string) => `wallet:${agentId}:available`,
  reserved: (agentId: string) => `wallet:${agentId}:reserved`,
  outside: (address: string) => `ext:${address}`,
  /** Money between two owners: one entry on either side, under the key of the command that moves it. */
  clearing: (key: string) => `clearing:${key}`,
  /** Test money out of nothing. */
  faucet: 'faucet',
} as const

const mayBeNegative = (name: string): boolean => /^(ext:|clearing:|faucet$)/.test(name)
export const treasuryLedger = (db: Database): Ledger => openLedger(db, mayBeNegative)

/** What an agent holds on one network, µ. */
export interface Holding {
  available: bigint
  reserved: bigint
}

export async function holdingOf(ledger: Ledger, chain: Chain, agentId: string): Promise<Holding> {
  const [available, reserved] = await Promise.all([
    ledger.balance(chain, account.available(agentId)),
    ledger.balance(chain, account.reserved(agentId)),
  ])
  return { available, reserved }
}

export async function holdingsOf(ledger: Ledger, agentId: string): Promise<Record<Chain, Holding>> {
  const found = await Promise.all(chains.map(async chain => [chain, await holdingOf(ledger, chain, agentId)] as const))
  return Object.fromEntries(found) as Record<Chain, Holding>
}
