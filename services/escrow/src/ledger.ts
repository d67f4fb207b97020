import { type Database, type Ledger, type LedgerEntry, openLedger, transfer } from '@carapace/store'
import type { ClientSession } from 'mongoose'

/** What a pool was credited with and a reorganisation undid: it may have been spent since. Below zero, or zero. @param pool its account */
export const lossOf = (pool: string): string => `loss:${pool}`
const feePool = 'fee-pool'

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
  feePool,
  /** What a further Bond has slashed: in the pool that was deployed with it, which gets no fees and pays no rewards. */
  slashed: (contract: string) => `slashed:${contract}`,
  loss: 'loss',
  poolLoss: lossOf(feePool),
} as const

/** The pool that has what was slashed of a bond. */
export const slashAccountOf = ({ contract }: { contract?: string }): string => (contract === undefined ? account.feePool : account.slashed(contract))

const mayBeNegative = (name: string): boolean => /^(ext:|clearing:|loss(:|$))/.test(name)
export const escrowLedger = (db: Database): Ledger => openLedger(db, mayBeNegative)

/** What a pool holds less what it never got, micro-USDC. @param pool its account */
export async function poolBalance(ledger: Ledger, chain: string, pool: string, session?: ClientSession): Promise<bigint> {
  const balances = await ledger.balancesOf(chain, [pool, lossOf(pool)], session)
  return [...balances.values()].reduce((sum, balance) => sum + balance, 0n)
}

/** What the pool may give away next to the fees that are promised to those who earned them. */
export async function poolSurplus(ledger: Ledger, chain: string, pool: string, session?: ClientSession): Promise<bigint> {
  const surplus = await poolBalance(ledger, chain, pool, session)
  return surplus > 0n ? surplus : 0n
}

/**
 * `tvl`: what it changes of all that is locked. `capped`: that is refused above the cap; what the chain has caused is not. `drawsOn`: the pool
 * that it may leave no less than what others have been promised.
 */
export type Posting = Pick<LedgerEntry, 'key' | 'lines' | 'ref'> & { txHash?: string | null; tvl?: bigint; capped?: boolean; drawsOn?: string }
export { transfer }
