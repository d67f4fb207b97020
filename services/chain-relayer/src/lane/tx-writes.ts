import type { Lane } from './lane.ts'
import type { TxRecord } from './records.ts'

/** Fields of a transaction to store; `liveOps` when it released some of its operations. */
export interface TxStep {
  tx: TxRecord
  fields: Partial<TxRecord>
  liveOps?: readonly string[]
}

/**
 * Stores steps, one statement for all that change in the same way. A leader of an older epoch matches nothing: then this one has lost
 * the lane and stops.
 */
export async function storeTxSteps(lane: Lane, steps: readonly TxStep[]): Promise<void> {
  if (steps.length === 0) return
  const groups = new Map<string, { ids: string[]; step: TxStep }>()
  for (const step of steps) {
    const key = JSON.stringify([step.fields, step.liveOps])
    const group = groups.get(key)
    if (group) group.ids.push(step.tx._id)
    else groups.set(key, { ids: [step.tx._id], step })
  }
  const result = await lane.db.txs.bulkWrite(
    [...groups.values()].map(({ ids, step }) => ({ updateMany: { filter: { _id: { $in: ids }, epoch: lane.lease.epoch }, update: updateOf(step) } })),
    { ordered: false },
  )
  if (result.matchedCount < steps.length) lane.fail(new Error('another leader has acquired these transactions'))
}

function updateOf({ fields, liveOps }: TxStep) {
  if (!liveOps) return { $set: fields }
  return liveOps.length ? { $set: { ...fields, liveOps: [...liveOps] } } : { $set: fields, $unset: { liveOps: '' as const } }
}

/** The same in memory. */
export function applyTxStep({ tx, fields, liveOps }: TxStep): void {
  Object.assign(tx, fields)
  if (!liveOps) return
  if (liveOps.length) tx.liveOps = [...liveOps]
  else delete tx.liveOps
}
