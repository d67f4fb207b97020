import type { Reads } from '../../chain/reads.ts'
import type { LaneParts } from '../lane.ts'
import { foundNotFinal } from '../records.ts'

/** What a former key has to finish before it can be removed. */
export interface Retirement {
  address: string
  /** Commands that it accepted and that are in no block, or whose effect was found in one that is not final. */
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
  const [queued, found, transactions, { usdc }] = await Promise.all([
    db.ops.countDocuments({ lane: id, state: 'QUEUED' }),
    db.ops.countDocuments({ lane: id, ...foundNotFinal }),
    db.txs.countDocuments({ lane: id, unfinished: true }),
    reads.balance(address),
  ])
  const commands = queued + found
  return { address, commands, transactions, usdc, drained: commands + transactions === 0 && BigInt(usdc) === 0n }
}
