import { liveOps } from '../inbound/settle.ts'
import type { Announcement } from '../lane/announce.ts'
import { assertLeading, type Lane } from '../lane/lane.ts'
import { finish, type OpStep, storeSteps } from '../lane/outcome.ts'
import { hasEffect, isMined } from '../lane/records.ts'
import { finalizeTx, storeTxSteps } from '../lane/tx-writes.ts'

/** Makes final what lies deep enough: operations, their events, then the transactions; a crash in between only repeats events. */
export function finalize(lane: Lane): void {
  const upTo = lane.head.number - lane.network.finality
  finalizeFound(lane, upTo)
  const mined = lane.slots.mined().flatMap(slot => (isMined(slot.tx) && slot.tx.block.number <= upTo ? [{ slot, tx: slot.tx }] : []))
  if (mined.length === 0) return
  const due = mined.map(({ slot }) => slot)
  // One moment for all: what is alike shares a statement.
  const now = Date.now()
  const steps = due
    .flatMap(liveOps)
    .filter(hasEffect)
    .map(op => finish(op, op.result, now))
  const events = eventsOf(steps)
  const txSteps = mined.map(({ tx }) => finalizeTx(tx))
  void lane.after.start(due, async () => {
    assertLeading(lane)
    await storeSteps(lane.db.ops, steps)
    await lane.announce(events)
    await storeTxSteps(lane, txSteps)
  })
  for (const slot of due) lane.slots.drop(slot)
}

/** Operations whose effect was found without a transaction of theirs. */
function finalizeFound(lane: Lane, upTo: number): void {
  const due = [...lane.found.values()].filter(op => op.result.blockNumber <= upTo)
  if (due.length === 0) return
  for (const op of due) lane.found.delete(op._id)
  const steps = due.map(op => finish(op, op.result, Date.now()))
  const events = eventsOf(steps)
  void lane.after.start([], async () => {
    assertLeading(lane)
    await storeSteps(lane.db.ops, steps)
    await lane.announce(events)
  })
}

const eventsOf = (steps: readonly OpStep[]) => steps.flatMap(({ event }): Announcement[] => (event ? [event] : []))
