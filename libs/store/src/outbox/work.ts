import { AsyncResource } from 'node:async_hooks'
import { type Handoff, joined } from './entry.ts'

/** A document that is being sent. */
export interface Work {
  readonly collection: string
  readonly id: string
  /** Since when its lease runs, ms. */
  leasedAt: number
  /** Called when there is more to send. */
  more: () => void
  /** Calls it where the last write with events came from: its trace goes on with what is sent. */
  fromOrigin<A extends unknown[], R>(call: (...args: A) => R, ...args: A): R
  /**
   * What writes of this process added since the version that was sent; 'unknown' when only the document says what there is, undefined when nothing
   * was added. One call answers what was added so far, the next one what was added since.
   */
  next(version: number): Handoff | 'unknown' | undefined
  /** Whether all of it is confirmed and it only waits until its outbox is emptied: others have its place meanwhile. */
  rest(isResting: boolean): void
  done: Promise<void>
}

interface OpenWork extends Work {
  /** Of the last write since it was started. */
  origin: AsyncResource | undefined
  /** Handoffs of writes since its outbox was read. */
  added: Handoff[]
  isUnknown: boolean
}

type Handed = [collection: string, id: string, handoff: Handoff | undefined]

export interface OutboxWork {
  /**
   * Sends the document's outbox as soon as there is room; one that is being sent goes on with it.
   * @param origin where it came from, for a caller that wakes many: default the caller's own context
   */
  wake(collection: string, id: string, handoff: Handoff | undefined, origin?: AsyncResource): void
  /** Lets those start that waited. Nothing is sent before. */
  open(): void
  isOpen(): boolean
  /** Whether documents wait until others are done. */
  isCrowded(): boolean
  /** Whether the document is being sent or waits for it. */
  holds(collection: string, id: string): boolean
  running(): Work[]
  /** Resolves when nothing is being sent. */
  idle(): Promise<void>
}

export interface OutboxWorkOptions {
  /** Documents sent concurrently. */
  window: number
  /** Sends until the document's outbox is empty. */
  send(work: Work, handoff: Handoff | undefined): Promise<void>
  /** The document's outbox is empty, or another process has it. */
  sent(work: Work): void
  failed(error: unknown, work: Work): void
  /** Called after each document with the number that wait. */
  ended(work: Work, waiting: number): void
  stopped: AbortSignal
}

/** So many times the window are in work, with those that wait until their outbox is emptied: a slow database delays what is sent no earlier. */
const mostWindows = 16

/** Each document is sent by one at a time, so that its events stay in order, and no more documents concurrently than the window. */
export function outboxWork({ window, send, sent, failed, ended, stopped }: OutboxWorkOptions): OutboxWork {
  const inWork = new Map<string, OpenWork>()
  const waiting = new Map<string, { handed: Handed; origin: AsyncResource }>()
  const resting = new Set<Work>()
  let isOpen = false

  const isFull = () => inWork.size - resting.size >= window || inWork.size >= mostWindows * window

  function wake(collection: string, id: string, handoff: Handoff | undefined, origin?: AsyncResource): void {
    if (stopped.aborted) return
    const key = keyOf(collection, id)
    const running = inWork.get(key)
    const earlier = waiting.get(key)
    if (running) add(running, handoff)
    else if (earlier) earlier.handed[2] = earlier.handed[2] && handoff && joined(earlier.handed[2], handoff)
    else if (handoff?.entries.length === 0) return
    else if (!isOpen || isFull()) waiting.set(key, { handed: [collection, id, handoff], origin: origin ?? originOf() })
    else start(key, collection, id, handoff)
  }

  function start(key: string, collection: string, id: string, handoff: Handoff | undefined): void {
    const work = openWork(collection, id, rest)
    inWork.set(key, work)
    work.done = run(key, work, handoff?.isAll ? handoff : undefined)
  }

  async function run(key: string, work: OpenWork, handoff: Handoff | undefined): Promise<void> {
    try {
      await send(work, handoff)
      sent(work)
    } catch (error) {
      failed(error, work)
    }
    resting.delete(work)
    inWork.delete(key)
    if (isDirty(work)) wake(work.collection, work.id, undefined)
    wakeNext()
    ended(work, waiting.size)
  }

  function rest(work: Work, isResting: boolean): void {
    if (isResting) resting.add(work)
    else resting.delete(work)
    wakeNext()
  }

  function wakeNext(): void {
    for (const [key, { handed, origin }] of waiting) {
      if (isFull()) return
      waiting.delete(key)
      origin.runInAsyncScope(wake, undefined, ...handed)
    }
  }

  return {
    wake,
    open: () => {
      isOpen = true
      wakeNext()
    },
    isOpen: () => isOpen,
    isCrowded: () => waiting.size > 0,
    holds: (collection, id) => inWork.has(keyOf(collection, id)) || waiting.has(keyOf(collection, id)),
    running: () => [...inWork.values()],
    idle: async () => {
      while (inWork.size > 0) await Promise.all([...inWork.values()].map(work => work.done))
    },
  }
}

function openWork(collection: string, id: string, rest: (work: Work, isResting: boolean) => void): OpenWork {
  const work: OpenWork = {
    collection,
    id,
    leasedAt: Date.now(),
    origin: undefined,
    fromOrigin: (call, ...args) => (work.origin ? work.origin.runInAsyncScope(call, undefined, ...args) : call(...args)),
    more: nothingMore,
    added: [],
    isUnknown: false,
    next: version => {
      if (!work.isUnknown && work.added.length === 0) return undefined
      const [added, isUnknown] = [work.added, work.isUnknown]
      Object.assign(work, { added: [], isUnknown: false })
      if (isUnknown) return 'unknown'
      // what a read of the document has shown already is announced late
      const [first, ...others] = added.filter(handoff => handoff.version > version).sort((one, other) => one.version - other.version)
      if (first === undefined) return undefined
      if (first.after !== version) return 'unknown'
      return others.reduce<Handoff | undefined>((all, handoff) => all && joined(all, handoff), first) ?? 'unknown'
    },
    rest: isResting => rest(work, isResting),
    done: Promise.resolve(),
  }
  return work
}

function add(work: OpenWork, handoff: Handoff | undefined): void {
  if (handoff) work.added.push(handoff)
  else work.isUnknown = true
  // one without events only closes the gap between versions
  if (handoff?.entries.length === 0) return
  work.origin = originOf()
  work.more()
}

/** For `more` while nothing waits for it. */
export const nothingMore = () => undefined

const originOf = () => new AsyncResource('OutboxWork')

const isDirty = ({ added, isUnknown }: OpenWork): boolean => isUnknown || added.some(({ entries }) => entries.length > 0)

/** Of a document among all collections. */
export const keyOf = (collection: string, id: string): string => `${collection}/${id}`
