import { type Database, type Ledger, type LedgerEntry, openLedger, transfer } from '@carapace/store'
import type { ClientSession } from 'mongoose'

/** The accounts of the escrow's ledger (behaviour 8); the outside, what treasury books on its side, and losses may be negative. */
export const account = {
  escrow: (gigId: string) => `escrow:${gigId}`,
  bondFree: (agentId: string) => `bond:${agentId}:free`,
  bondLocked: (agentId: string) => `bond:${agentId}:locked`,
  reward: (validationId: string, validatorId: string) => `reward:${validationId}:${validatorId}`,
  debt: (gigId: string) => `debt:${gigId}`,
  outside: (address: string) => `ext:${address}`,
  /** Between this service and treasury: one entry on each side, under the key of the command that moves the money. */
  clearing: (key: string) => `clearing:${key}`,
  /** Money of a command that is under way. */
  transit: (id: string) => `transit:${id}`,
  feePool: 'fee-pool',
  loss: 'loss',
  /** What the pool was credited with and a reorganisation undid: it may have been spent since. Below zero, or zero. */
  poolLoss: 'loss:fee-pool',
} as const

const mayBeNegative = (name: string): boolean => /^(ext:|clearing:|loss(:|$))/.test(name)
export const escrowLedger = (db: Database): Ledger => openLedger(db, mayBeNegative)

/** What the pool holds less what it never got, micro-USDC. */
export async function poolBalance(ledger: Ledger, chain: string, session?: ClientSession): Promise<bigint> {
  const balances = await ledger.balancesOf(chain, [account.feePool, account.poolLoss], session)
  return [...balances.values()].reduce((sum, balance) => sum + balance, 0n)
}

/** What the pool may give away next to the fees that are promised to those who earned them. */
export async function poolSurplus(ledger: Ledger, chain: string, session?: ClientSession): Promise<bigint> {
  const surplus = await poolBalance(ledger, chain, session)
  return surplus > 0n ? surplus : 0n
}

/**
 * `tvl`: what it changes of all that is locked. `capped`: that is refused above the cap; what the chain has caused is not. `ofSurplus`: it may leave
 * the pool no less than what others have been promised.
 */
export type Posting = Pick<LedgerEntry, 'key' | 'lines' | 'ref'> & { txHash?: string | null; tvl?: bigint; capped?: boolean; ofSurplus?: boolean }
export { transfer }
