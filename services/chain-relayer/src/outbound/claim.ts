import { mongo } from 'mongoose'
import { nextOpState } from '../lane/command-states.ts'
import { Fenced, type Lane } from '../lane/lane.ts'
import type { OpenTx, Tx } from '../lane/records.ts'
import { endUnsigned } from './endings.ts'

/**
 * Stores signed transactions in one ordered insert: each allocates its nonce and claims its operations.
 * @returns the ones that are stored; fewer than given when an operation was claimed elsewhere
 * @throws Fenced when another leader has a slot
 */
export async function claim(lane: Lane, records: readonly OpenTx[]): Promise<readonly OpenTx[]> {
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

/** Finds the earlier claim: another leader's (then this one ends), or one that this leader did not know. */
async function resolve(lane: Lane, refused: OpenTx): Promise<void> {
  const others = await lane.db.txs.find({ liveOps: { $in: refused.liveOps ?? [] } }).toArray()
  const over = others.filter(tx => tx.nonce === null || tx.state === 'FINAL')
  if (over.length === 0 || over.length < others.length) throw new Fenced(`slot ${refused._id} was claimed by another leader`)
  for (const tx of over) {
    for (const { opKey, round } of tx.ops) await recordEnd(lane, opKey, round, tx)
  }
}

/** Removes an operation from the queue that has ended by this record. */
async function recordEnd(lane: Lane, opKey: string, round: number, tx: Tx): Promise<void> {
  const op = lane.queue.get(opKey)
  if (!op || !tx.liveOps?.includes(opKey)) return
  if (tx.nonce !== null && tx.block) {
    const { number, hash, time } = tx.block
    const result = { txHash: '', blockNumber: number, blockHash: hash, blockTime: time, logs: [] }
    await lane.db.ops.updateOne({ _id: opKey }, { $set: { state: nextOpState(op.state, 'finalize'), result, error: null } })
    lane.queue.remove(opKey)
  } else if (round < op.round) await lane.db.txs.deleteOne({ _id: tx._id })
  else await endUnsigned(lane, [{ op, error: tx.failWith! }])
}
