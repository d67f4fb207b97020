import { requireContracts } from './chain/network.ts'
import type { HeadsEvents } from './inbound/heads.ts'
import type { Indexer } from './inbound/indexer.ts'
import { type Mined, settle } from './inbound/settle.ts'
import type { Lane } from './lane/lane.ts'
import { isMined, lastAttempt } from './lane/records.ts'
import { isRestorable, restore } from './lane/tx-writes.ts'
import { isEnough } from './outbound/send/transaction.ts'
import { finalize } from './repair/finalizer.ts'
import { loadOps, readopt } from './repair/recovery.ts'
import { reopenDropped, reopenFound } from './repair/reorg.ts'

/** The effects on the lane of blocks that are mined, become final or are dropped. */
export function headsEvents(lane: Lane, events: Indexer): HeadsEvents {
  /** Failures on a real network are judged only when their block is final: a reorganisation could still reverse them. */
  let undecided: Mined[] = []
  /** By the monotonic clock, as every duration here: the wall clock may be set. */
  let isPricedOut = false
  let finalizedAt = Number.NEGATIVE_INFINITY
  const isFailure = ({ receipt }: Mined) => receipt.status !== '0x1' || receipt.logs.some(log => isFailedResult(lane, log))
  /** Pools drop transactions that the base fee has outgrown. Once it has fallen, they are sent again without waiting for the next reconciliation. */
  const resume = () => {
    const lowest = lane.slots.lowestOpen()
    const was = isPricedOut
    isPricedOut = lowest !== undefined && !isEnough(lastAttempt(lowest.tx).fee, lane.head.baseFee)
    if (was && !isPricedOut) lane.send(lane.slots.open().map(slot => slot.nonce))
  }
  return {
    onBlock: async (block: Mined['block'], receipts: readonly Mined['receipt'][]) => {
      const mined = receipts.flatMap(receipt => {
        const slot = lane.slots.byHash(receipt.transactionHash)
        return slot && (slot.tx.state === 'SIGNED' || slot.tx.state === 'ACCEPTED') ? [{ slot, receipt, block }] : []
      })
      if (mined.length === 0) return
      const later = lane.network.devnet || lane.network.finality <= 1 ? [] : mined.filter(isFailure)
      undecided.push(...later)
      await settle(
        lane,
        mined.filter(one => !later.includes(one)),
      )
      lane.wake()
    },
    onFollowed: async () => {
      resume()
      const due = undecided.filter(one => one.block.number <= lane.head.number - lane.network.finality)
      undecided = undecided.filter(one => !due.includes(one))
      if (due.length) await settle(lane, due)
      if (performance.now() - finalizedAt > lane.timings.finalizeMs) {
        finalizedAt = performance.now()
        finalize(lane)
      }
      await events.final(lane.head.number - lane.network.finality)
    },
    onReorg: async (ancestor: number) => {
      undecided = undecided.filter(one => one.block.number <= ancestor)
      // Final transactions are reopened, too: without them their nonces stay free and every later one waits for ever.
      await lane.after.drained()
      await reload(lane, ancestor)
      await reopenDropped(
        lane,
        lane.slots.mined().filter(slot => isMined(slot.tx) && slot.tx.block.number > ancestor),
      )
      await reopenFound(lane, ancestor)
      // Without the deployment calls would succeed and do nothing: the lane stops until it exists again.
      await requireContracts(lane.network, lane.rpc)
      lane.send(lane.slots.open().map(slot => slot.nonce))
    },
    onSkip: async () => lane.doubt(),
  }
}

function isFailedResult(lane: Lane, log: Mined['receipt']['logs'][number]): boolean {
  return log.address.toLowerCase() === lane.network.addresses.Batcher.toLowerCase() && log.topics.length === 2 && log.data.slice(65, 66) === '0'
}

const page = 500

/** Transactions that were final in dropped blocks are sent again, too. */
async function reload(lane: Lane, ancestor: number): Promise<void> {
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    // The order of nonces is the order of blocks.
    const txs = await lane.db.txs
      .find({ lane: lane.id, nonce: { $ne: null, $lt: below }, state: 'FINAL' })
      .sort({ nonce: -1 })
      .limit(page)
      .toArray()
    const lost = txs.filter(isRestorable).filter(tx => tx.block.number > ancestor)
    if (lost.length === 0) return
    const ops = await loadOps(
      lane,
      lost.flatMap(tx => tx.ops.map(op => op.opKey)),
    )
    const restored = lost.map(tx => restore(tx, lane.lease.epoch))
    await lane.db.txs.updateMany({ _id: { $in: lost.map(tx => tx._id) } }, { $set: restored[0]!.fields })
    for (const { tx } of restored) readopt(lane, tx, ops)
    if (lost.length < page) return
    below = lost.at(-1)!.nonce
  }
}
