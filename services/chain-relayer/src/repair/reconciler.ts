import { type Header, hexOf, numberOf, receiptsByHash } from '../chain/reader.ts'
import type { Heads } from '../inbound/heads.ts'
import { catchUp, liveOps, persist, requeueInMemory, settle } from '../inbound/settle.ts'
import { assertLeading, type Lane } from '../lane/lane.ts'
import { confirm, type OpStep, repeatFailure, requeue } from '../lane/outcome.ts'
import { hasFailed, lastAttempt } from '../lane/records.ts'
import type { Slot } from '../lane/slots.ts'
import { displace } from '../lane/tx-writes.ts'
import { findEffect } from '../outbound/effect.ts'
import { bump } from '../outbound/send/replace.ts'
import { isEnough } from '../outbound/send/transaction.ts'
import type { gapFiller } from './gap-filler.ts'
import { isNonceUsedElsewhere } from './nonce-used-elsewhere.ts'

/** A nonce counts as used elsewhere only after so many consecutive polls, over as many periods: a node may be late with a receipt. */
const pollsNeeded = 2

/**
 * Compares the lane's open slots with the node's count of its transactions: finds receipts that no head announced, nonces that another
 * sender used, and transactions that the node has dropped.
 */
export async function reconcile(lane: Lane, heads: Heads, fillGap: ReturnType<typeof gapFiller>): Promise<void> {
  assertLeading(lane)
  catchUp(lane)
  if (lane.contradiction !== undefined) return
  const open = lane.slots.open()
  if (open.length === 0) return
  const count = await countAt(lane, 'latest')
  const below = open.filter(slot => slot.nonce < count)
  await fillGap(lane, count)
  if (below.length) await findReceipts(lane, heads, below)
  const above = lane.slots.open().filter(slot => slot.nonce >= count)
  const silent = above.filter(slot => slot.lastSentAt === 0 || performance.now() - slot.lastSentAt > lane.network.stuckMs / 2)
  if (silent.length) lane.send(silent.map(slot => slot.nonce))
  await priceUp(lane, above)
}

async function findReceipts(lane: Lane, heads: Heads, slots: readonly Slot[]): Promise<void> {
  const receipts = await receiptsByHash(
    lane.rpc,
    slots.flatMap(slot => slot.tx.attempts.map(attempt => attempt.hash)),
  )
  const times = new Map<string, number>()
  const timeOf = async (hash: string) => {
    const time = times.get(hash) ?? numberOf(((await lane.rpc.call('eth_getBlockByHash', [hash, false])) as Header).timestamp)
    times.set(hash, time)
    return time
  }
  const byHash = new Map(receipts.map(receipt => [receipt.transactionHash, receipt]))
  for (const slot of slots) {
    const receipt = slot.tx.attempts.map(attempt => byHash.get(attempt.hash)).find(found => found !== undefined)
    if (receipt) {
      slot.missing = 0
      slot.missingSince = 0
      const block = { number: Number(receipt.blockNumber), hash: receipt.blockHash, time: await timeOf(receipt.blockHash) }
      // Unprocessed blocks are handled when they are followed.
      if (block.number <= lane.head.number && heads.isOurs(block) !== false) await settle(lane, [{ slot, receipt, block }])
    } else if (isMissingLong(lane, slot) && (await isUsedForGood(lane, heads, slot))) await replaced(lane, slot)
  }
}

function isMissingLong(lane: Lane, slot: Slot): boolean {
  slot.missingSince ||= performance.now()
  return ++slot.missing > pollsNeeded && performance.now() - slot.missingSince >= pollsNeeded * lane.timings.reconcileMs
}

/** Seen in a block; where blocks are too old to show it, the count decides. On a real network the count must hold at a final block, too. */
async function isUsedForGood(lane: Lane, heads: Heads, slot: Slot): Promise<boolean> {
  const isUsed = await isNonceUsedElsewhere(lane, heads, slot)
  // The node counts more than it has mined: the transaction may be nowhere.
  if (isUsed === false) lane.send([slot.nonce])
  if (isUsed === false || lane.network.devnet) return isUsed ?? true
  return slot.nonce < (await countAt(lane, hexOf(Math.max(0, lane.head.number - lane.network.finality))))
}

/** Another sender used the nonce with the lane's key. The effect may exist anyway; otherwise the operations are queued again. */
async function replaced(lane: Lane, slot: Slot): Promise<void> {
  lane.log.error({ lane: lane.id, nonce: slot.nonce }, 'a nonce of the lane was used outside the relayer')
  const steps: OpStep[] = []
  for (const op of liveOps(slot)) {
    const effect = await findEffect(lane, op, { ...lane.head, txHash: lastAttempt(slot.tx).hash })
    if (effect) steps.push(confirm(op, effect, Date.now()))
    else steps.push(hasFailed(op) ? repeatFailure(op) : requeue(op, 'its nonce was used outside', Date.now()))
  }
  const ops = steps.map(({ op }) => op)
  lane.slots.replaceOps(slot, ops)
  const confirmed = ops.flatMap(op => (op.state === 'CONFIRMED' ? [op] : []))
  const step = displace(
    slot.tx,
    confirmed.map(op => op._id),
  )
  await persist(lane, steps, [step], [slot])
  lane.slots.drop(slot)
  for (const op of confirmed) lane.found.set(op._id, op)
  for (const op of ops) requeueInMemory(lane, op)
}

/** Slots that cannot be mined at the present base fee, and the lowest one when it has waited too long. */
async function priceUp(lane: Lane, open: readonly Slot[]): Promise<void> {
  const isUnderpriced = (slot: Slot) => !isEnough(lastAttempt(slot.tx).fee, lane.head.baseFee)
  // A signature from the future was made before the clock was set back.
  const isStuck = (slot: Slot) => Math.abs(Date.now() - lastAttempt(slot.tx).signedAt) > lane.network.stuckMs
  const due = open
    .filter((slot, index) => slot.lastSentAt > 0 && !slot.isTooDear && (isUnderpriced(slot) || (index === 0 && isStuck(slot))))
    .slice(0, 50)
  for (const slot of due) await bump(lane, slot)
}

export const countAt = async (lane: Pick<Lane, 'rpc' | 'signer'>, tag: string): Promise<number> =>
  Number(await lane.rpc.call('eth_getTransactionCount', [lane.signer.address, tag]))
