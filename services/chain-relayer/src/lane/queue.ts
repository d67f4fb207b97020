import type { OpRecord } from './records.ts'

/** Operations that wait to be signed, in the order of their arrival. The collection is the record; this is the part that is next. */
export interface OpQueue {
  readonly size: number
  /** More wait in the collection than are held here. */
  readonly overflow: boolean
  /** Highest place in the queue ever held. */
  readonly lastOrder: number
  /** @param later the operation may wait in the collection when there is no room */
  add(op: OpRecord, later?: boolean): void
  /** Memory holds everything that waits in the collection. */
  refilled(): void
  /** More waits in the collection than was read. */
  overflowed(): void
  remove(opKey: string): void
  get(opKey: string): OpRecord | undefined
  /** Up to `max` operations that may be signed now. An operation waits for earlier ones of its aggregate that wait for another try. */
  ready(now: number, max: number): OpRecord[]
  /** Waits from now on for another operation's effect. */
  park(op: OpRecord): void
  /** Those of an aggregate that wait for another one's effect are checked in the next pass. */
  hasten(aggregateKey: string): void
  /** Unsigned operations past their deadline, or to be cancelled. */
  doomed(now: number): OpRecord[]
  /** The wall clock was set by so many ms: retry times move with it. */
  shift(ms: number): void
  clear(): void
}

export function opQueue(limit = 10_000): OpQueue {
  let sorted: OpRecord[] = []
  let removed = 0
  const held = new Map<string, OpRecord>()
  const parked = new Map<string, OpRecord>()
  let overflow = false
  let lastOrder = 0

  const compact = () => {
    if (removed < 256 && removed < sorted.length / 2) return
    sorted = sorted.filter(op => held.get(op._id) === op)
    removed = 0
  }

  return {
    get size() {
      return held.size
    },
    get overflow() {
      return overflow
    },
    get lastOrder() {
      return lastOrder
    },
    add: (op, later = true) => {
      if (later && (overflow || held.size >= limit)) {
        overflow = true
        return
      }
      if (held.has(op._id)) removed++
      held.set(op._id, op)
      if (op.waiting) parked.set(op._id, op)
      lastOrder = Math.max(lastOrder, op.order)
      let place = sorted.length
      while (place > 0 && sorted[place - 1]!.order > op.order) place--
      sorted.splice(place, 0, op)
    },
    refilled: () => {
      overflow = false
    },
    overflowed: () => {
      overflow = true
    },
    remove: opKey => {
      parked.delete(opKey)
      if (!held.delete(opKey)) return
      removed++
      compact()
    },
    get: opKey => held.get(opKey),
    ready: (now, max) => {
      const waiting = new Set<string>()
      const found: OpRecord[] = []
      for (const op of sorted) {
        if (found.length >= max) break
        if (held.get(op._id) !== op) continue
        if (op.nextAt > now) waiting.add(op.aggregateKey)
        else if (!waiting.has(op.aggregateKey)) found.push(op)
      }
      return found
    },
    park: op => parked.set(op._id, op),
    hasten: aggregateKey => {
      for (const op of parked.values()) if (op.aggregateKey === aggregateKey && op.waiting) op.nextAt = 0
    },
    doomed: now => [...held.values()].filter(op => op.cancelRequested || (op.deadline !== null && op.deadline <= now)),
    shift: ms => {
      for (const op of held.values()) if (op.nextAt > 0) op.nextAt += ms
    },
    clear: () => {
      sorted = []
      removed = 0
      held.clear()
      parked.clear()
      overflow = false
      lastOrder = 0
    },
  }
}
