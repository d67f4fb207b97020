import { mongo } from 'mongoose'
import type { Announcement } from '../lane/announce.ts'
import { hasten } from '../lane/hasten.ts'
import { assertLeading, type Lane } from '../lane/lane.ts'
import { confirm, endOf, fail, type OpStep, storeSteps } from '../lane/outcome-writes.ts'
import { type OpError, type OpRecord, type TxRecord, voidIdOf } from '../lane/records.ts'
import { transactionStates } from '../lane/transaction-states.ts'
import { effectIsThere } from './effect.ts'

/** How an operation ends that no transaction carries. */
export interface Ending {
  op: OpRecord
  error: OpError
  /** Check the effect first: it may exist although every try of ours failed. */
  checkEffect?: boolean
}

/**
 * Ends operations that are not in a transaction. A VOID record holds the operation's live claim, so the unique index
 * decides between ending and signing, for a stale leader too.
 */
export async function endUnsigned(lane: Lane, endings: readonly Ending[]): Promise<void> {
  assertLeading(lane)
  const now = Date.now()
  const isUncertain = ({ op }: Ending) => (op.openUntil ?? 0) > now
  const later = endings.filter(ending => isUncertain(ending) && !ending.op.failLater).map(({ op, error }) => endOf(op, error, now))
  await storeSteps(lane.db.ops, later)
  const lost: Ending[] = []
  const done: OpRecord[] = []
  for (const ending of endings.filter(one => !isUncertain(one))) {
    if (ending.checkEffect && (await effectIsThere(lane, ending.op))) done.push(ending.op)
    else lost.push(ending)
  }
  if (done.length) await confirmWithout(lane, done)
  if (lost.length) await finishVoids(lane, lost, await insertVoids(lane, lost))
}

/** The effect exists without a transaction of this round. */
export async function confirmWithout(lane: Lane, ops: readonly OpRecord[]): Promise<void> {
  const { number, hash, time } = lane.head
  const place = { blockNumber: number, blockHash: hash, blockTime: time, logs: [], already: true as const }
  const steps = ops.map(op => confirm(op, { ...place, txHash: op.txHash ?? `0x${'0'.repeat(64)}` }, Date.now()))
  await write(lane, steps)
  for (const op of ops) lane.queue.remove(op._id)
  hasten(lane, ops)
  lane.found.push(...ops)
}

/** @returns keys that another transaction had claimed */
async function insertVoids(lane: Lane, endings: readonly Ending[]): Promise<ReadonlySet<string>> {
  const records = endings.map(({ op, error }) => voidRecord(lane, op, error))
  try {
    await lane.db.txs.insertMany(records, { ordered: false })
    return new Set()
  } catch (error) {
    if (!(error instanceof mongo.MongoBulkWriteError) || error.code !== 11000) throw error
    const refused = [error.writeErrors].flat().map(one => records[one.index]!)
    // Its own VOID of an interrupted ending counts as claimed.
    const own = await lane.db.txs.find({ _id: { $in: refused.map(record => record._id) } }, { projection: { _id: 1 } }).toArray()
    const ownIds = new Set(own.map(record => record._id))
    return new Set(refused.filter(record => !ownIds.has(record._id)).map(record => record.ops[0]!.opKey))
  }
}

async function finishVoids(lane: Lane, endings: readonly Ending[], refused: ReadonlySet<string>): Promise<void> {
  const ended = endings.filter(({ op }) => !refused.has(op._id))
  const ids = ended.map(({ op }) => voidIdOf(op._id, op.round))
  await write(
    lane,
    ended.map(({ op, error }) => fail(op, error, Date.now())),
    async () => {
      await lane.db.txs.updateMany({ _id: { $in: ids } }, { $set: { state: transactionStates.move('VOID', 'finalize'), unfinished: false } })
    },
  )
  for (const { op } of endings) lane.queue.remove(op._id)
  hasten(
    lane,
    ended.map(({ op }) => op),
  )
  if (refused.size) lane.fail(new Error('operations were claimed by another leader'))
}

/** @param onAnnounced runs when the events are published; after a crash before it the next leader publishes them again */
async function write(lane: Lane, steps: readonly OpStep[], onAnnounced?: () => Promise<void>): Promise<void> {
  if (steps.length === 0) return
  await storeSteps(lane.db.ops, steps)
  const announcements = steps.flatMap((step): Announcement[] => (step.event ? [step.event] : []))
  void lane.after.start([], async () => {
    await lane.announce(announcements)
    await onAnnounced?.()
  })
}

const voidRecord = (lane: Lane, op: OpRecord, error: OpError): TxRecord => ({
  _id: voidIdOf(op._id, op.round),
  lane: lane.id,
  nonce: null,
  epoch: lane.lease.epoch,
  liveOps: [op._id],
  ops: [{ opKey: op._id, round: op.round, seq: op.seq, batchId: null }],
  to: '',
  value: '0',
  gasLimit: 0,
  attempts: [],
  state: 'VOID',
  unfinished: true,
  block: null,
  minedHash: null,
  gasUsed: null,
  failWith: error,
  signedAt: Date.now(),
})
