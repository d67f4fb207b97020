import { mongo } from 'mongoose'
import { endUnsigned } from './endings.ts'
import { Fenced, type Lane } from './lane.ts'
import type { TxRecord } from './records.ts'

/**
 * Stores signed transactions in one ordered insert: each allocates its nonce and claims its operations.
 * @returns the ones that are stored; fewer than given when an operation was claimed elsewhere
 * @throws Fenced when another leader has a slot
 */
export async function claim(lane: Lane, records: readonly TxRecord[]): Promise<readonly TxRecord[]> {
  try {
    await lane.db.txs.insertMany([...records], { ordered: true })
    return records
  } catch (error) {
    if (!(error instanceof mongo.MongoBulkWriteError) || error.code !== 11000) throw error
    const stored = records.slice(0, error.insertedCount)
    await resolve(lane, records[stored.length]!)
    return stored
  }
}

/** Finds out who was first: another leader (then this one ends) or an ending that this one had not heard of. */
async function resolve(lane: Lane, refused: TxRecord): Promise<void> {
  const others = await lane.db.txs.find({ liveOps: { $in: refused.liveOps ?? [] } }).toArray()
  const voids = others.filter(tx => tx.nonce === null)
  if (voids.length === 0 || voids.length < others.length) throw new Fenced(`slot ${refused._id} was taken by another leader`)
  for (const tombstone of voids) {
    const op = lane.queue.get(tombstone.ops[0]!.opKey)
    if (!op) continue
    if (tombstone.ops[0]!.round < op.round) await lane.db.txs.deleteOne({ _id: tombstone._id })
    else await endUnsigned(lane, [{ op, error: tombstone.failWith! }])
  }
}
