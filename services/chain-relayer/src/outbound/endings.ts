import { mongo } from 'mongoose'
import type { Announcement } from '../lane/announce.ts'
import { hasten } from '../lane/hasten.ts'
import { assertLeading, type Lane } from '../lane/lane.ts'
import { confirm, endOf, fail, type OpStep, retry, storeSteps } from '../lane/outcome.ts'
import { type Op, type OpError, type OpResult, type VoidTx, voidIdOf } from '../lane/records.ts'
import { nextTxState } from '../lane/transaction-states.ts'
import { RpcUnavailable } from '../rpc/rpc.ts'
import { findEffect } from './effect.ts'
import { anyoneMaySubmit, blockMs, type EndChecks, endChecks, includableMs } from './public-authorization.ts'

/** How an operation ends that no transaction carries. */
export interface Ending {
  op: Op
  error: OpError
  /** Check the effect first: it may exist although every try of ours failed. */
  checkEffect?: boolean
}

/**
 * Ends operations that are not in a transaction. A VOID record holds the operation's live claim, so the unique index
 * decides between ending and signing, for a stale leader too.
 * @param limited of a pass: what is above its limit stays as it is, and what cannot be checked is checked again later
 */
export async function endUnsigned(lane: Lane, endings: readonly Ending[], limited?: EndChecks): Promise<void> {
  assertLeading(lane)
  const now = Date.now()
  const later: OpStep[] = []
  const lost: Ending[] = []
  const done: Found[] = []
  const checks = limited ?? endChecks(lane)
  for (const ending of endings) {
    const { op, error, checkEffect } = ending
    if ((op.openUntil ?? 0) > now) {
      if (!op.failLater) later.push(endOf(op, error, now))
      continue
    }
    if (limited && anyoneMaySubmit(lane, op) && limited.left-- <= 0) continue
    try {
      // read before the effect: what was closed then has no effect after it
      const openMs = await includableMs(lane, op, checks)
      const effect = (checkEffect || openMs > 0) && (await effectNow(lane, op))
      if (effect) done.push({ op, effect })
      else if (openMs > 0) later.push(endOf({ ...op, openUntil: now + openMs }, error, now))
      else lost.push(ending)
    } catch (fault) {
      if (!limited) throw fault
      lane.log.warn({ lane: lane.id, opKey: op._id, reason: String(fault) }, 'the end of an operation could not be checked: it is checked again')
      if (fault instanceof RpcUnavailable) limited.left = 0
      later.push(retry({ ...op, failLater: error }, { delayMs: blockMs, gasFactor: op.gasFactor }, 'its end could not be checked', now))
    }
  }
  for (const { op } of later) if (op.state === 'QUEUED') lane.queue.replace(op)
  await storeSteps(lane.db.ops, later)
  if (done.length) await confirmFound(lane, done)
  if (lost.length) await finishVoids(lane, lost, await insertVoids(lane, lost))
}

/** An operation whose effect exists without a transaction of this round. */
interface Found {
  op: Op
  effect: OpResult
}

/** The effect of an operation that no transaction carries; undefined = it does not exist. @throws RpcUnavailable */
export const effectNow = (lane: Lane, op: Op): Promise<OpResult | undefined> =>
  findEffect(lane, op, { ...lane.head, txHash: op.txHash ?? `0x${'0'.repeat(64)}` })

export async function confirmFound(lane: Lane, found: readonly Found[]): Promise<void> {
  const steps = found.map(({ op, effect }) => confirm(op, effect, Date.now()))
  await write(lane, steps)
  const ops = steps.map(({ op }) => op)
  for (const op of ops) lane.queue.remove(op._id)
  hasten(lane, ops)
  for (const op of ops) lane.found.set(op._id, op)
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
  const steps = ended.map(({ op, error }) => fail(op, error, Date.now()))
  await write(lane, steps, async () => {
    await lane.db.txs.updateMany({ _id: { $in: ids } }, { $set: { state: nextTxState('VOID', 'finalize'), unfinished: false } })
  })
  for (const { op } of endings) lane.queue.remove(op._id)
  hasten(
    lane,
    steps.map(({ op }) => op),
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

const voidRecord = (lane: Lane, op: Op, error: OpError): VoidTx => ({
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
