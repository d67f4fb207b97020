import type { Reads } from '../../chain/reads.ts'
import type { LaneParts } from '../lane.ts'

/** What a former key has to finish before it can be removed. */
export interface Retirement {
  address: string
  /** Commands that it accepted and that are in no block. */
  commands: number
  /** Transactions that are not final, and endings that are not published. */
  transactions: number
  /** micro-USDC of x402 payments, or of others, at its address. */
  usdc: string
  /** Nothing is left: its roles may be revoked and the key removed. */
  drained: boolean
}

/** Counts what the lane of a former key has left, in the records and on chain. @throws Refusal CHAIN_UNAVAILABLE */
export async function retirementOf({ id, signer, db }: LaneParts, reads: Pick<Reads, 'balance'>): Promise<Retirement> {
  const { address } = signer
  const [commands, transactions, { usdc }] = await Promise.all([
    db.ops.countDocuments({ lane: id, state: 'QUEUED' }),
    db.txs.countDocuments({ lane: id, unfinished: true }),
    reads.balance(address),
  ])
  return { address, commands, transactions, usdc, drained: commands + transactions === 0 && BigInt(usdc) === 0n }
}
