import { type Block, receiptsByHash } from '../chain/reader.ts'
import type { Lane } from '../lane/lane.ts'

/** Consecutive polls, apart in time, that must agree before anything final is reversed. */
export const pollsNeeded = 3
/** Of the transactions that were final, so many of the last are queried in each poll. */
const sample = 50

/** Collects evidence that final blocks were dropped. A node that contradicts itself, or another node at the same address, gives none. */
export interface Evidence {
  /** One poll. @returns whether enough polls agreed */
  poll(dropped: readonly Block[]): Promise<boolean>
  /** The blocks exist after all. */
  clear(): void
}

export function evidence(lane: Lane): Evidence {
  let about = ''
  let polls = 0
  let lastAt = Number.NEGATIVE_INFINITY
  const clear = () => {
    polls = 0
    about = ''
    lastAt = Number.NEGATIVE_INFINITY
  }
  return {
    poll: async dropped => {
      const [lowest] = dropped
      if (about !== lowest!.hash) clear()
      about = lowest!.hash
      if (performance.now() - lastAt < lane.timings.evidenceMs) return false
      if (await areStillMined(lane, dropped)) {
        clear()
        return false
      }
      lastAt = performance.now()
      return ++polls >= pollsNeeded
    },
    clear,
  }
}

/** Whether the node still has receipts of these blocks, although it says that they are not part of the chain. */
async function areStillMined(lane: Lane, dropped: readonly Block[]): Promise<boolean> {
  const hashes = new Set(dropped.map(block => block.hash))
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
