import { bloomMatch } from '../chain/consistency.ts'
import { type Block, blockOf, type Header, headerAt, isHeader, latestHeader, numberOf, type Receipt, receiptsOf } from '../chain/reader.ts'
import type { CursorRecord } from '../lane/collections.ts'
import type { Lane } from '../lane/lane.ts'
import { blockJudge } from './block-judge.ts'
import { saveCursor } from './cursors.ts'
import { evidence } from './evidence.ts'
import type { Indexer, ReadBlock } from './indexer.ts'
import { clearContradiction, markContradicted } from './mark-contradicted.ts'
import { readFinal, readHeaders } from './read-final.ts'

/** Processes the network's blocks one by one, in order, on the branch that the node follows. */
export interface Heads {
  /** Follows the chain up to the node's head. `hint` is a pushed header that saves a call. */
  advance(hint?: unknown): Promise<void>
  /** Is this block on the branch that was processed? undefined = too old to know. */
  isOurs(block: Block): boolean | undefined
  /** Processed blocks, oldest first. */
  blocks(): readonly Block[]
  save(): Promise<void>
}

export interface HeadsEvents {
  onBlock(block: Block, receipts: readonly Receipt[]): Promise<void>
  /** The block was processed: what lies deep enough below it may become final. */
  onFollowed(): Promise<void>
  /** Blocks from `ancestor + 1` on were dropped; -1 = the whole chain was started again. */
  onReorg(ancestor: number, dropped: readonly Block[]): Promise<void>
  /** Too many blocks were missed to process them one by one. */
  onSkip(): Promise<void>
}

const ringSize = 256
/** A lag of more blocks than this is caught up in ranges of so many, reading only those that may hold watched logs. */
const skipFrom = 1_000

/** @param cursor where the last leader stopped; the genesis' ring when there was none */
export function followHeads(lane: Lane, indexer: Indexer, cursor: Pick<CursorRecord, 'ring'>, events: HeadsEvents): Heads {
  const ring: Block[] = [...cursor.ring]
  const doubts = evidence(lane)
  const judgeBlock = blockJudge(lane)
  let saved = ring.at(-1)?.hash
  const last = () => ring.at(-1)!
  const at = (block: number) => ring[block - ring[0]!.number]

  async function advance(hint?: unknown): Promise<void> {
    const pushed = isHeader(hint) ? hint : undefined
    if (pushed && isNext(pushed)) {
      if (await follow(pushed)) clearContradiction(lane)
      return
    }
    const head = await latestHeader(lane.rpc)
    const number = numberOf(head.number)
    const stored = at(number)
    if (stored?.hash === head.hash && number < last().number)
      return markContradicted(lane, `its head is block ${number}, it has shown block ${last().number} before`)
    if (stored?.hash !== head.hash && number <= last().number && !(await walkBack(number))) return
    while (number - last().number > skipFrom) if (!(await skip(number - lane.network.finality))) return
    while (last().number < number) {
      const next = await headerAt(lane.rpc, last().number + 1)
      if (!next) return markContradicted(lane, `its head is block ${number}, and it has no block ${last().number + 1}`)
      if (!(isNext(next) ? await follow(next) : await walkBack(last().number))) return
    }
    doubts.clear()
    clearContradiction(lane)
  }

  const isNext = (header: Header) => numberOf(header.number) === last().number + 1 && header.parentHash === last().hash

  /** @returns whether the block was processed */
  async function follow(header: Header): Promise<boolean> {
    const block = blockOf(header)
    const receipts = await receiptsOf(lane.rpc, header, () =>
      bloomMatch(header, lane.network.watchedLogs, lane.unchecked) === 'none'
        ? lane.slots.open().flatMap(slot => slot.tx.attempts.map(attempt => attempt.hash))
        : undefined,
    )
    // The branch has changed meanwhile: the next poll finds out where.
    if (receipts === undefined) {
      markContradicted(lane, `it has no receipts of block ${block.number}`)
      return false
    }
    const wrong = receipts.isWhole ? judgeBlock(header, receipts.found) : undefined
    if (wrong) {
      markContradicted(lane, `block ${block.number} ${wrong}`)
      return false
    }
    lane.head = { ...block, baseFee: BigInt(header.baseFeePerGas ?? 0), gasLimit: BigInt(header.gasLimit) }
    await events.onBlock(block, receipts.found)
    await indexer.block(block, receipts.found)
    ring.push(block)
    if (ring.length > ringSize) ring.shift()
    await events.onFollowed()
    return true
  }

  /** Drops blocks that the node no longer follows, from `top` downwards. @returns whether it did; final ones need evidence */
  async function walkBack(top: number): Promise<boolean> {
    let ancestor = Math.min(top, last().number)
    while (ancestor >= ring[0]!.number) {
      const theirs = await headerAt(lane.rpc, ancestor)
      if (theirs && theirs.hash === at(ancestor)?.hash) break
      ancestor--
    }
    const dropped = ring.filter(block => block.number > ancestor)
    const isFinal = dropped[0] !== undefined && dropped[0].number <= last().number - lane.network.finality
    if (isFinal && !(await areDropped(dropped))) return false
    if (ancestor < ring[0]!.number) await restart()
    else await dropAbove(ancestor)
    doubts.clear()
    return true
  }

  /** Only after the node has shown another block in the place of the first one several times, and nothing contradicts it. */
  async function areDropped(dropped: readonly Block[]): Promise<boolean> {
    markContradicted(lane, `block ${dropped[0]!.number}, which was final, is another one now`)
    const theirs = await headerAt(lane.rpc, dropped[0]!.number)
    if (!theirs || theirs.hash === dropped[0]!.hash) return false
    return doubts.poll(dropped)
  }

  async function dropAbove(ancestor: number): Promise<void> {
    const dropped = ring.splice(ancestor - ring[0]!.number + 1)
    if (dropped.length === 0) return
    const back = last()
    lane.head = { ...lane.head, ...back }
    await indexer.removed(dropped)
    await events.onReorg(ancestor, dropped)
  }

  /** Deeper than the ring: a devnet that lost its state, or the wrong node. */
  async function restart(): Promise<void> {
    if (!lane.network.devnet)
      throw new Error(`${lane.network.chain}: the chain was reorganised deeper than ${ringSize} blocks; check the node before you continue`)
    const first = (await headerAt(lane.rpc, 0))!
    const dropped = ring.splice(0)
    ring.push({ number: 0, hash: first.hash, time: numberOf(first.timestamp) })
    lane.head = { ...lane.head, ...last() }
    await indexer.removed(dropped)
    await events.onReorg(-1, dropped)
  }

  /** Processes many final blocks together, no further than `limit`. @returns whether they were processed */
  async function skip(limit: number): Promise<boolean> {
    const headers = await readHeaders(lane, last().number + 1, Math.min(last().number + skipFrom, limit))
    if (typeof headers !== 'string' && !isNext(headers[0]!)) return walkBack(last().number)
    const wrong = typeof headers === 'string' ? headers : await readFinal(lane, judgeBlock, headers, reach)
    if (wrong) markContradicted(lane, wrong)
    else await events.onSkip()
    return wrong === undefined
  }

  async function reach(blocks: readonly ReadBlock[], upTo: Header): Promise<void> {
    await indexer.backfill(blocks)
    ring.splice(0, ring.length, blockOf(upTo))
    lane.head = { ...last(), baseFee: BigInt(upTo.baseFeePerGas ?? 0), gasLimit: BigInt(upTo.gasLimit) }
  }

  return {
    advance,
    isOurs: block => (block.number < ring[0]!.number ? undefined : at(block.number)?.hash === block.hash),
    blocks: () => ring,
    save: async () => {
      if (saved === last().hash) return
      const hash = last().hash
      const upTo = [...ring]
      // The events of these blocks must be published first: after a crash reading starts here.
      await lane.after.drained()
      // one that was paused stores nothing in the place of its successor
      if (!lane.lease.valid()) return
      await saveCursor(lane, upTo)
      saved = hash
    },
  }
}
