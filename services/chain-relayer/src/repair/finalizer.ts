import { liveOps } from '../inbound/settle.ts'
import { finalized } from '../lane/announce.ts'
import { assertLeading, type Lane } from '../lane/lane.ts'
import { finish, storeSteps } from '../lane/outcome-writes.ts'
import { transactionStates } from '../lane/transaction-states.ts'
import { storeTxSteps } from '../lane/tx-writes.ts'

/** Makes final what lies deep enough: operations, their events, then the transactions; a crash in between only repeats events. */
export function finalize(lane: Lane): void {
  const upTo = lane.head.number - lane.network.finality
  finalizeFound(lane, upTo)
  const due = lane.slots.mined().filter(slot => slot.tx.block !== null && slot.tx.block.number <= upTo)
  if (due.length === 0) return
  const ops = due.flatMap(liveOps).filter(op => op.state === 'CONFIRMED' || op.state === 'FINAL')
  // One moment for all: what is alike shares a statement.
  const now = Date.now()
  const steps = ops.map(op => finish(op, now))
  const events = ops.map(finalized)
  const txSteps = due.map(({ tx }) => ({ tx, fields: { state: transactionStates.move(tx.state, 'finalize'), unfinished: false, block: tx.block } }))
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
  const due = lane.found.filter(op => op.state === 'CONFIRMED' && op.result !== null && op.result.blockNumber <= upTo)
  if (due.length === 0) return
  lane.found.splice(0, lane.found.length, ...lane.found.filter(op => !due.includes(op)))
  const steps = due.map(op => finish(op, Date.now()))
  const events = due.map(finalized)
  void lane.after.start([], async () => {
    assertLeading(lane)
    await storeSteps(lane.db.ops, steps)
    await lane.announce(events)
  })
}
