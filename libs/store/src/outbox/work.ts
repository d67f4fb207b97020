import type { Handoff } from './entry.ts'

/** A document that is being sent. */
export interface Work {
  readonly collection: string
  readonly id: string
  /** Written to since its outbox was read. */
  isDirty: boolean
  /** Since when its lease runs, ms. */
  leasedAt: number
  done: Promise<void>
}

export interface OutboxWork {
  /** Sends the document's outbox as soon as there is room; one that is being sent is read again. */
  wake(collection: string, id: string, handoff: Handoff | undefined): void
  /** Lets those start that waited. Nothing is sent before. */
  open(): void
  isOpen(): boolean
  /** Whether the document is being sent or waits for it. */
  holds(collection: string, id: string): boolean
  running(): Work[]
  /** Resolves when nothing is being sent. */
  idle(): Promise<void>
}

export interface OutboxWorkOptions {
  /** Documents in work concurrently. */
  window: number
  /** Sends until the document's outbox is empty. */
  send(work: Work, handoff: Handoff | undefined): Promise<void>
  failed(error: unknown): void
  /** Called after each document with the number that wait. */
  ended(waiting: number): void
  stopped: AbortSignal
}

/** Each document is sent by one at a time, so that its events stay in order, and no more documents concurrently than the window. */
export function outboxWork({ window, send, failed, ended, stopped }: OutboxWorkOptions): OutboxWork {
  const inWork = new Map<string, Work>()
  const waiting = new Map<string, [collection: string, id: string, handoff: Handoff | undefined]>()
  let isOpen = false

  function wake(collection: string, id: string, handoff: Handoff | undefined): void {
    if (stopped.aborted || handoff?.entries.length === 0) return
    const key = keyOf(collection, id)
    const running = inWork.get(key)
    if (running) running.isDirty = true
    // two writes in a row: what both left unsent is read from the document
    else if (!isOpen || inWork.size >= window) waiting.set(key, [collection, id, waiting.has(key) ? undefined : handoff])
    else start(key, collection, id, handoff)
  }

  function start(key: string, collection: string, id: string, handoff: Handoff | undefined): void {
    const work: Work = { collection, id, isDirty: false, leasedAt: Date.now(), done: Promise.resolve() }
    inWork.set(key, work)
    work.done = send(work, handoff)
      .catch(failed)
      .finally(() => {
        inWork.delete(key)
        if (work.isDirty) wake(collection, id, undefined)
        wakeNext()
        ended(waiting.size)
      })
  }

  function wakeNext(): void {
    const [next] = waiting
    if (!next) return
    waiting.delete(next[0])
    wake(...next[1])
  }

  return {
    wake,
    open: () => {
      isOpen = true
      for (let waited = waiting.size; waited > 0; waited--) wakeNext()
    },
    isOpen: () => isOpen,
    holds: (collection, id) => inWork.has(keyOf(collection, id)) || waiting.has(keyOf(collection, id)),
    running: () => [...inWork.values()],
    idle: async () => {
      while (inWork.size > 0) await Promise.all([...inWork.values()].map(work => work.done))
    },
  }
}

const keyOf = (collection: string, id: string): string => `${collection}/${id}`
