import { finalized } from './announce.ts'
import type { Lane } from './lane.ts'
import { finish } from './outcome-writes.ts'
import { liveOps } from './settle.ts'

const perPass = 500

/** Makes final what lies deep enough: events first, then the transactions; a crash in between only repeats events. */
export async function finalize(lane: Lane): Promise<void> {
  const upTo = lane.head.number - lane.network.finality
  const due = lane.slots
    .mined()
    .filter(slot => slot.tx.block !== null && slot.tx.block.number <= upTo)
    .slice(0, perPass)
  if (due.length === 0) return
  const ops = due.flatMap(liveOps).filter(op => op.state === 'CONFIRMED' || op.state === 'FINAL')
  const writes = ops.map(op => finish(op, Date.now()))
  if (writes.length) await lane.db.ops.bulkWrite(writes, { ordered: false })
  const events = ops.map(finalized)
  const ids = due.map(slot => slot.tx._id)
  lane.after.start(due, async () => {
    await lane.announce(events)
    await lane.db.txs.updateMany({ _id: { $in: ids }, epoch: lane.lease.epoch }, { $set: { state: 'FINAL' } })
  })
  for (const slot of due) lane.slots.drop(slot)
}
