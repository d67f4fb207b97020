import type { QueuedOp } from './records.ts'

/** Operations that wait to be signed, in the order of their arrival. The collection is the record; this is the part that is next. */
export interface OpQueue {
  readonly size: number
  /** More wait in the collection than are held here. */
  readonly overflow: boolean
  /** Highest place in the queue ever held. */
  readonly lastOrder: number
  /** @param later the operation may wait in the collection when there is no room */
  add(op: QueuedOp, later?: boolean): void
  /** The next record of an operation, in the same place; nothing when it is not held any more. */
  replace(op: QueuedOp): void
  /** Memory holds everything that waits in the collection. */
  refilled(): void
  /** More waits in the collection than was read. */
  overflowed(): void
  remove(opKey: string): void
  get(opKey: string): QueuedOp | undefined
  all(): QueuedOp[]
  /**
   * Up to `max` operations that may be signed now. An operation waits for earlier ones of its aggregate that wait for another try.
   * @param withheld aggregates that wait as a whole
   */
  ready(now: number, max: number, withheld?: ReadonlySet<string>): QueuedOp[]
  /** Those of an aggregate that wait for another one's effect are checked in the next pass. */
  hasten(aggregateKey: string): void
  /** Unsigned operations past their deadline, or to be cancelled. */
  doomed(now: number): QueuedOp[]
  /** The wall clock was set by so many ms: retry times move with it. */
  shift(ms: number): void
  clear(): void
}

interface Place {
  op: QueuedOp
}

export function opQueue(limit = 10_000): OpQueue {
  let sorted: Place[] = []
  let removed = 0
  const held = new Map<string, Place>()
  /** Those that wait for another operation's effect. */
  const parked = new Set<Place>()
  let overflow = false
  let lastOrder = 0

  const compact = () => {
    if (removed < 256 && removed < sorted.length / 2) return
    sorted = sorted.filter(place => held.get(place.op._id) === place)
    removed = 0
  }
  const put = (place: Place, op: QueuedOp) => {
    place.op = op
    if (op.waiting) parked.add(place)
    else parked.delete(place)
  }
  const drop = (opKey: string): boolean => {
    const place = held.get(opKey)
    if (!place) return false
    parked.delete(place)
    held.delete(opKey)
    removed++
    return true
  }

  const all = () => [...held.values()].map(({ op }) => op)

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
      drop(op._id)
      const added: Place = { op }
      held.set(op._id, added)
      put(added, op)
      lastOrder = Math.max(lastOrder, op.order)
      let at = sorted.length
      while (at > 0 && sorted[at - 1]!.op.order > op.order) at--
      sorted.splice(at, 0, added)
    },
    replace: op => {
      const place = held.get(op._id)
      if (place) put(place, op)
    },
    refilled: () => {
      overflow = false
    },
    overflowed: () => {
      overflow = true
    },
    remove: opKey => {
      if (drop(opKey)) compact()
    },
    get: opKey => held.get(opKey)?.op,
    all,
    ready: (now, max, withheld) => {
      const waiting = new Set<string>(withheld)
      const found: QueuedOp[] = []
      for (const place of sorted) {
        if (found.length >= max) break
        const { op } = place
        if (held.get(op._id) !== place) continue
        if (op.nextAt > now) waiting.add(op.aggregateKey)
        else if (!waiting.has(op.aggregateKey)) found.push(op)
      }
      return found
    },
    hasten: aggregateKey => {
      for (const place of parked) if (place.op.aggregateKey === aggregateKey) place.op = { ...place.op, nextAt: 0 }
    },
    doomed: now => all().filter(op => (op.cancelRequested || (op.deadline !== null && op.deadline <= now)) && !(op.failLater && op.nextAt > now)),
    shift: ms => {
      if (ms === 0) return
      for (const place of held.values()) if (place.op.nextAt > 0) place.op = { ...place.op, nextAt: place.op.nextAt + ms }
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
