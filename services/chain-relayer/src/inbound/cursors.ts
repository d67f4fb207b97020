import type { Chain } from '@carapace/api'
import { type Block, headerAt, hexOf, numberOf } from '../chain/reader.ts'
import type { CursorRecord } from '../lane/collections.ts'
import type { Lane } from '../lane/lane.ts'

/** A retiring lane follows its transactions only: how far the network's logs are published is the cursor of the other one. */
const cursorIdOf = ({ isRetiring, id, network }: Pick<Lane, 'isRetiring' | 'id' | 'network'>): string => (isRetiring ? id : network.chain)

/** Stores how far a lane has followed the chain. @param ring its last blocks, oldest first */
export async function saveCursor(lane: Lane, ring: readonly Block[]): Promise<void> {
  const cursor = { genesis: lane.network.genesis, ring: [...ring] }
  await lane.db.cursors.updateOne({ _id: cursorIdOf(lane) }, { $set: cursor }, { upsert: true })
}

/** Where to continue: the stored cursor (of a former key that has none, the network's), or the block before the contracts on a network seen for the first time. */
export async function loadCursor(lane: Pick<Lane, 'db' | 'id' | 'isRetiring' | 'network' | 'rpc'>): Promise<Pick<CursorRecord, 'ring'>> {
  const chain: Chain = lane.network.chain
  const stored = (await lane.db.cursors.findOne({ _id: cursorIdOf(lane) })) ?? (await lane.db.cursors.findOne({ _id: chain }))
  if (stored) {
    if (stored.genesis !== lane.network.genesis && !lane.network.devnet)
      throw new Error(`${chain}: genesis is ${lane.network.genesis}, this database belongs to ${stored.genesis}`)
    if (stored.ring.length) return { ring: stored.ring.map(block => ({ number: Number(block.number), hash: block.hash, time: Number(block.time) })) }
  }
  const from = Math.max(0, (lane.network.startBlock ?? 0) - 1)
  const header = await headerAt(lane.rpc, from)
  if (!header) throw new Error(`${chain}: block ${hexOf(from)} is not there`)
  return { ring: [{ number: from, hash: header.hash, time: numberOf(header.timestamp) }] }
}

type Own = Pick<Lane, 'db' | 'id' | 'network' | 'retiring'>

/**
 * At an exchange of keys each lane continues where it stopped itself, stored before the present one follows a block. From a place that the other one has
 * reached it would not see a reorganisation that came before, nor what that dropped.
 */
export async function exchangeCursors(lane: Own): Promise<void> {
  if (lane.retiring) await storeFormer(lane, lane.retiring.id)
  await resumeOwn(lane)
}

async function storeFormer({ db, network }: Own, retiring: string): Promise<void> {
  const cursor = await db.cursors.findOne({ _id: network.chain })
  if (!cursor) return
  const { genesis, ring } = cursor
  await db.cursors.updateOne({ _id: retiring }, { $setOnInsert: { genesis, ring } }, { upsert: true })
}

/** After an exchange that was reversed: from where the lane stopped as that of the former key. Logs that are read twice have the same ids. */
async function resumeOwn({ db, id, network }: Own): Promise<void> {
  const [own, shared] = await Promise.all([id, network.chain].map(_id => db.cursors.findOne({ _id })))
  const [stopped, first, last] = [own?.ring.at(-1), shared?.ring[0], shared?.ring.at(-1)]
  // one that stopped before the blocks of the ring was drained long ago
  if (own && stopped && first && last && stopped.number < last.number && stopped.number >= first.number)
    await db.cursors.updateOne({ _id: network.chain }, { $set: { genesis: own.genesis, ring: own.ring } })
  await db.cursors.deleteOne({ _id: id })
}
