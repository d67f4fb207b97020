import { type ChainLog, watchedContractEvents } from '@carapace/api'
import type { Block, Receipt } from '../chain/reader.ts'
import type { EventRecord } from '../lane/collections.ts'
import type { Lane } from '../lane/lane.ts'
import { removalOf, sightingOf } from './announce-logs.ts'

/** Publishes contract events as domain events: when first seen, when their block is final, and when it is dropped. */
export interface Indexer {
  block(block: Block, receipts: readonly Receipt[]): Promise<void>
  /** The same for many blocks together, all of them already final. */
  backfill(blocks: readonly ReadBlock[]): Promise<void>
  removed(blocks: readonly Block[]): Promise<void>
  /** Publishes events of blocks up to here again, as final. */
  final(upTo: number): Promise<void>
}

/** For a lane that publishes no logs, since another one of its network does. */
export const noIndexer: Indexer = { block: async () => {}, backfill: async () => {}, removed: async () => {}, final: async () => {} }

interface Sighting {
  log: ChainLog
  txHash: string
  block: Block
}
/** A block with all its receipts. */
export interface ReadBlock {
  block: Block
  receipts: readonly Receipt[]
}

export function indexer(lane: Lane): Indexer {
  const chain = lane.network.chain
  let unfinished = true
  let announcing = false

  const sightingsIn = (block: Block, receipts: readonly Receipt[]): Sighting[] =>
    receipts.flatMap(receipt => lane.network.decodeWatched(receipt.logs).map(log => ({ log, txHash: receipt.transactionHash, block })))

  async function publish(sightings: readonly Sighting[], final: boolean): Promise<void> {
    const wanted = await watched(lane, sightings)
    if (wanted.length === 0) return
    const records = wanted.map(sighting => recordOf(lane, sighting, final))
    await lane.db.events.bulkWrite(
      records.map(({ _id, ...fields }) => ({ updateOne: { filter: { _id }, update: { $set: fields, $unset: { removedAt: '' } }, upsert: true } })),
      { ordered: false },
    )
    unfinished ||= !final
    const events = records.map(record => sightingOf(record, final))
    void lane.after.start([], () => lane.announce(events))
  }

  return {
    block: (block, receipts) => publish(sightingsIn(block, receipts), false),
    backfill: blocks =>
      publish(
        blocks.flatMap(({ block, receipts }) => sightingsIn(block, receipts)),
        true,
      ),
    removed: async blocks => {
      const affected = await lane.db.events
        .find({ network: chain, removed: false, 'data.blockHash': { $in: blocks.map(block => block.hash) } })
        .toArray()
      const [announced, seen] = [affected.filter(record => record.final), affected.filter(record => !record.final)]
      // Money was moved because of these: one poll is not enough to reverse them.
      if (announced.length) {
        await lane.db.events.updateMany({ _id: { $in: announced.map(record => record._id) } }, { $set: { doubts: 0, doubtedAt: 0 } })
        lane.checkStore()
      }
      if (seen.length === 0) return
      const events = seen.map(removalOf)
      void lane.after.start([], async () => {
        await lane.announce(events)
        await lane.db.events.updateMany(
          { _id: { $in: seen.map(record => record._id) } },
          { $set: { removed: true, final: true, removedAt: Date.now() } },
        )
      })
    },
    final: async upTo => {
      if (!unfinished || announcing || upTo < 0) return
      const due = await lane.db.events
        .find({ network: chain, final: false, blockNumber: { $lte: upTo } })
        .sort({ blockNumber: 1 })
        .limit(500)
        .toArray()
      if (due.length === 0) {
        unfinished = (await lane.db.events.findOne({ network: chain, final: false }, { projection: { _id: 1 } })) !== null
        return
      }
      const events = due.map(record => sightingOf(record, true))
      announcing = true
      void lane.after.start([], async () => {
        await lane.announce(events)
        await lane.db.events.updateMany({ _id: { $in: due.map(record => record._id) } }, { $set: { final: true } })
        announcing = false
      })
    },
  }
}

const table: Readonly<Record<string, readonly string[]>> = watchedContractEvents

/** Logs that services receive. Of USDC only transfers to our wallets, and to where x402 is paid to: everybody uses the token. */
async function watched(lane: Lane, sightings: readonly Sighting[]): Promise<readonly Sighting[]> {
  const declared = sightings.filter(({ log }) => table[log.contract]?.includes(log.event) && !(log.contract === 'Commerce' && 'client' in log.args))
  const receivers = [...new Set(declared.flatMap(({ log }) => (log.contract === 'USDC' ? [String(log.args.to)] : [])))]
  if (receivers.length === 0) return declared
  const intakes = [lane.signer, ...(lane.retiring ? [lane.retiring.signer] : [])].map(({ address }) => address)
  const ours = new Set([...(await lane.custody.ownAmong(receivers)), ...intakes, ...lane.watchedWallets])
  return declared.filter(({ log }) => log.contract !== 'USDC' || ours.has(String(log.args.to)))
}

function recordOf(lane: Lane, { log, txHash, block }: Sighting, final: boolean): EventRecord {
  const network = lane.network.chain
  const logId = `${network}:${block.hash}:${log.logIndex}`
  const place = { txHash, blockNumber: block.number, blockHash: block.hash, blockTime: block.time }
  return { _id: logId, network, blockNumber: block.number, final, removed: false, data: { logId, network, ...log, ...place } }
}
