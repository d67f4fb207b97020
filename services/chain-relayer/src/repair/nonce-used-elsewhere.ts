import { hexOf } from '../chain/reader.ts'
import type { Heads } from '../inbound/heads.ts'
import type { Lane } from '../lane/lane.ts'
import type { Slot } from '../lane/slots.ts'
import { type Rpc, resultOf } from '../rpc/rpc.ts'

interface Mined {
  hash: string
  from: string
  nonce: string
}
const perCall = 20

/**
 * Whether a block has another transaction of the lane's key in this slot's nonce. A count alone is no proof: a node may count wrongly.
 * @returns undefined when the blocks at hand do not reach back to where the slot was signed
 */
export async function isNonceUsedElsewhere(lane: Lane, heads: Heads, { nonce, tx }: Slot): Promise<boolean | undefined> {
  const own = new Set(tx.attempts.map(attempt => attempt.hash))
  const sender = lane.signer.address.toLowerCase()
  const blocks = [...heads.blocks()].reverse()
  for (let at = 0; at < blocks.length; at += perCall) {
    for (const mined of await transactionsOf(
      lane.rpc,
      blocks.slice(at, at + perCall).map(block => block.number),
    )) {
      if (mined.from.toLowerCase() !== sender) continue
      if (Number(mined.nonce) === nonce) return !own.has(mined.hash)
      // Nonces rise with the blocks.
      if (Number(mined.nonce) < nonce) return false
    }
  }
  const reachBack = tx.signedHead !== undefined && tx.signedHead >= (blocks.at(-1)?.number ?? 0)
  return reachBack ? false : undefined
}

/** Of these blocks, newest first, and in each the last first. */
async function transactionsOf(rpc: Rpc, numbers: readonly number[]): Promise<Mined[]> {
  const replies = await rpc.batch(numbers.map(number => ({ method: 'eth_getBlockByNumber', params: [hexOf(number), true] })))
  return replies.flatMap(reply => [...((resultOf('eth_getBlockByNumber', reply) as { transactions: Mined[] } | null)?.transactions ?? [])].reverse())
}
