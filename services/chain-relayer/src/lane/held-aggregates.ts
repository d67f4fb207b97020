import type { Collections } from './collections.ts'
import { foundNotFinal } from './records.ts'

/** Aggregates of which another key has unfinished operations: until they are final nothing of these is signed here, so that their order stays. */
export interface HeldAggregates {
  /** As of the last refresh. */
  readonly keys: ReadonlySet<string>
  /** Reads them again, no more often than the period says. */
  refresh(): Promise<void>
  /** An operation of this aggregate was given to the other key. */
  add(aggregateKey: string): void
}

const none: HeldAggregates = { keys: new Set(), refresh: async () => {}, add: () => {} }

/**
 * Those of a retiring lane. Without one there are none.
 * @param everyMs between two reads
 */
export function heldAggregates(db: Collections, lane: string | undefined, everyMs: number): HeldAggregates {
  if (lane === undefined) return none
  let read: ReadonlySet<string> = new Set()
  /** Since the last read began. */
  let given = new Set<string>()
  let readAt = Number.NEGATIVE_INFINITY
  return {
    get keys() {
      return given.size === 0 ? read : new Set([...read, ...given])
    },
    refresh: async () => {
      if (performance.now() - readAt < everyMs) return
      // they are stored before they are added here, so that this read has them
      read = new Set([...read, ...given])
      given = new Set()
      read = new Set(await unfinishedOf(db, lane))
      readAt = performance.now()
    },
    add: aggregateKey => {
      given.add(aggregateKey)
    },
  }
}

async function unfinishedOf(db: Collections, lane: string): Promise<string[]> {
  const projection = { aggregateKey: 1 }
  // in this order: an operation leaves the first before the second
  const queued = await db.ops.find({ lane, state: 'QUEUED' }, { projection }).toArray()
  const txs = await db.txs.find({ lane, unfinished: true }, { projection: { ops: 1 } }).toArray()
  const carried = await db.ops.find({ _id: { $in: txs.flatMap(tx => tx.ops.map(op => op.opKey)) } }, { projection }).toArray()
  const found = await db.ops.find({ lane, ...foundNotFinal }, { projection }).toArray()
  return [...queued, ...carried, ...found].map(op => op.aggregateKey)
}
