import { submitted } from '../lane/announce.ts'
import type { Lane } from '../lane/lane.ts'
import { type HeldTx, isMined, isOpen, type Op, type Tx } from '../lane/records.ts'
import { reopen } from '../lane/tx-writes.ts'
import { endUnsigned } from '../outbound/endings.ts'
import { countAt } from './reconciler.ts'

const page = 5_000

/**
 * Starts a term: loads what is not final, marks it with this epoch (so that a former leader's writes match nothing), repeats
 * announcements that may be missing, and finds the next nonce.
 */
export async function recover(lane: Lane): Promise<void> {
  const { txs } = lane.db
  await txs.updateMany({ lane: lane.id, unfinished: true }, { $set: { epoch: lane.lease.epoch } })
  const all = await txs.find({ lane: lane.id, unfinished: true }).sort({ nonce: 1 }).toArray()
  const unfinished = all.filter(isHeld)
  const ops = await loadOps(
    lane,
    unfinished.flatMap(tx => tx.ops.map(op => op.opKey)),
  )
  for (const tx of unfinished) adopt(lane, tx, ops)
  const [highest] = await txs
    .find({ lane: lane.id, nonce: { $ne: null } }, { projection: { nonce: 1 } })
    .sort({ nonce: -1 })
    .limit(1)
    .toArray()
  const count = await countAt(lane, 'latest')
  // A count above our records means that the key was used before, or elsewhere: those slots are used.
  lane.slots.nextNonce = Math.max(highest ? Number(highest.nonce) + 1 : 0, count)
  await refill(lane)
  const found = await lane.db.ops.find({ lane: lane.id, 'result.already': true, state: 'CONFIRMED' }).toArray()
  for (const op of found) if (op.state === 'CONFIRMED') lane.found.set(op._id, op)
  await finishEndings(
    lane,
    all.filter(tx => tx.nonce === null),
  )
}

/** Puts a stored transaction back into memory; announces a signed one again. */
function adopt(lane: Lane, tx: HeldTx, ops: ReadonlyMap<string, Op>): void {
  const own = ownOps(tx, ops)
  const txHash = tx.attempts[0]!.hash
  const live = (tx.liveOps ?? []).flatMap((opKey): Op[] => {
    const op = own.get(opKey)
    const { seq } = tx.ops.find(carried => carried.opKey === opKey)!
    return op ? [{ ...op, seq: Math.max(op.seq, seq), txHash: op.txHash ?? txHash }] : []
  })
  // Mined ones are looked up again: their outcome is the same, and it may not be published yet.
  const wasSigned = tx.state === 'SIGNED'
  const slot = lane.slots.add(wasSigned ? tx : reopen(tx).tx, own)
  lane.slots.replaceOps(slot, live)
  if (!wasSigned) return
  const events = live.map(op => submitted(op, op.seq, txHash))
  void lane.after.start([slot], () => lane.announce(events))
}

/** Puts one back that was final: mined, as far as is known. */
export function readopt(lane: Lane, tx: HeldTx, ops: ReadonlyMap<string, Op>): void {
  lane.slots.add(tx, ownOps(tx, ops))
}

const isHeld = (tx: Tx): tx is HeldTx => isOpen(tx) || isMined(tx)

const ownOps = (tx: HeldTx, ops: ReadonlyMap<string, Op>) =>
  new Map(
    tx.ops.flatMap(({ opKey, round }) => {
      const op = ops.get(opKey)
      return op && Number(op.round) === Number(round) ? [[opKey, op] as const] : []
    }),
  )

export async function loadOps(lane: Pick<Lane, 'db'>, keys: readonly string[]): Promise<Map<string, Op>> {
  const found = new Map<string, Op>()
  for (let at = 0; at < keys.length; at += page) {
    for (const op of await lane.db.ops.find({ _id: { $in: keys.slice(at, at + page) } }).toArray()) found.set(op._id, op)
  }
  return found
}

/** Loads waiting operations from the collection into the queue, in order, as far as there is room. */
export async function refill(lane: Lane): Promise<void> {
  const waiting = await lane.db.ops
    .find({ lane: lane.id, state: 'QUEUED', order: { $gt: lane.queue.lastOrder } })
    .sort({ order: 1 })
    .limit(page)
    .toArray()
  const complete = waiting.length < page
  if (complete) lane.queue.refilled()
  for (const op of waiting) if (op.state === 'QUEUED' && !lane.slots.ofOp(op._id)) lane.queue.add(op, false)
  if (!complete) lane.queue.overflowed()
}

/** Endings that a crash interrupted: their claim is stored, the operation is not updated yet. */
async function finishEndings(lane: Lane, voids: readonly Tx[]): Promise<void> {
  const ops = await loadOps(
    lane,
    voids.map(tx => tx.ops[0]!.opKey),
  )
  const endings = voids.flatMap(tx => {
    const op = ops.get(tx.ops[0]!.opKey)
    return op && op.round === tx.ops[0]!.round && tx.failWith ? [{ op, error: tx.failWith }] : []
  })
  if (endings.length) await endUnsigned(lane, endings)
}
