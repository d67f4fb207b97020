import { type Block, receiptsByHash } from '../chain/reader.ts'
import type { Lane } from '../lane/lane.ts'

/** Looks in a row, apart in time, that must agree before anything that is final is reversed. */
export const looksNeeded = 3
/** Of the transactions that were final, so many of the last are looked up each time. */
const sample = 50

/** Gathers evidence that final blocks are gone. A node that contradicts itself, or another one behind the same address, gives none. */
export interface Evidence {
  /** One look. @returns whether there have been enough of them, all of the same */
  look(gone: readonly Block[]): Promise<boolean>
  /** The blocks are there after all. */
  clear(): void
}

export function evidence(lane: Lane): Evidence {
  let about = ''
  let looks = 0
  let lastAt = Number.NEGATIVE_INFINITY
  const clear = () => {
    looks = 0
    about = ''
    lastAt = Number.NEGATIVE_INFINITY
  }
  return {
    look: async gone => {
      const [lowest] = gone
      if (about !== lowest!.hash) clear()
      about = lowest!.hash
      if (performance.now() - lastAt < lane.timings.evidenceMs) return false
      if (await areStillMined(lane, gone)) {
        clear()
        return false
      }
      lastAt = performance.now()
      return ++looks >= looksNeeded
    },
    clear,
  }
}

/** Whether the node still has receipts of these blocks, which it says are none of the chain. */
async function areStillMined(lane: Lane, gone: readonly Block[]): Promise<boolean> {
  const hashes = new Set(gone.map(block => block.hash))
  const txs = await lane.db.txs
    .find({ lane: lane.id, state: 'FINAL', 'block.hash': { $in: [...hashes] } })
    .sort({ nonce: -1 })
    .limit(sample)
    .toArray()
  const receipts = await receiptsByHash(
    lane.rpc,
    txs.flatMap(tx => tx.attempts.map(attempt => attempt.hash)),
  )
  return receipts.some(receipt => hashes.has(receipt.blockHash))
}
