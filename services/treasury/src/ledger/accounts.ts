import { type Chain, chains } from '@carapace/api'
import type { Ledger } from '@carapace/store'

/** The accounts of the treasury's ledger (behaviour 8), per network. */
export const account = {
  available: (agentId: string) => `wallet:${agentId}:available`,
  reserved: (agentId: string) => `wallet:${agentId}:reserved`,
  /** The debt of the agent, never above zero: credits that the chain dropped after they had been spent. */
  debt: (agentId: string) => `debt:${agentId}`,
  outside: (address: string) => `ext:${address}`,
  /** Money between two owners: one entry on either side, under the key of the command that moves it. */
  clearing: (key: string) => `clearing:${key}`,
  /** What sold calls earned. */
  x402Income: 'x402-income',
  /** What x402 paid for gigs and names, until it is spent or returned; the lane's own address holds it. */
  intake: 'intake',
  /** What the platform paid because the chain reversed what it had reported. */
  loss: 'loss',
  /** Test money out of nothing. */
  faucet: 'faucet',
} as const

/** What an agent holds on one network, µ. */
export interface Holding {
  available: bigint
  reserved: bigint
  /** 0 or more; while there is some, nothing is available. */
  debt: bigint
}

export async function holdingOf(ledger: Ledger, chain: Chain, agentId: string): Promise<Holding> {
  return (await holdingsByAgent(ledger, chain, [agentId])).get(agentId)!
}

/** What several agents hold on one network, in one read. */
export async function holdingsByAgent(ledger: Pick<Ledger, 'balancesOf'>, chain: Chain, agentIds: readonly string[]): Promise<Map<string, Holding>> {
  const namesOf = (agentId: string) => [account.available(agentId), account.reserved(agentId), account.debt(agentId)] as const
  const balances = await ledger.balancesOf(chain, agentIds.flatMap(namesOf))
  const holding = (agentId: string): Holding => {
    const [available = 0n, reserved = 0n, debt = 0n] = namesOf(agentId).map(name => balances.get(name))
    return { available, reserved, debt: -debt }
  }
  return new Map(agentIds.map(agentId => [agentId, holding(agentId)]))
}

export async function holdingsOf(ledger: Ledger, agentId: string): Promise<Record<Chain, Holding>> {
  const found = await Promise.all(chains.map(async chain => [chain, await holdingOf(ledger, chain, agentId)] as const))
  return Object.fromEntries(found) as Record<Chain, Holding>
}
