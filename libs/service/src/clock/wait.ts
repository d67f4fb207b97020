import type { Database } from '@carapace/store'

/** Waits until `probe` finds something, woken by local writes to that aggregate and, for other replicas' writes, by a slow poll. */
export type Wait = <T>(collection: string, id: string, probe: () => Promise<T | undefined>, timeoutMs: number) => Promise<T | undefined>

/** The net under writes of this process that announced nothing is wider than that under those of replicas. */
const [pollMs, solePollMs] = [250, 2_000]

/**
 * The bounded wait of handlers that must answer with an outcome, such as a transaction hash.
 * @param exclusive no other process writes to the database
 */
export function waiter(db: Database, exclusive = false): { wait: Wait; close(): void } {
  const everyMs = exclusive ? solePollMs : pollMs
  const waiting = new Set<() => void>()
  let isClosed = false
  const wait: Wait = async (collection, id, probe, timeoutMs) => {
    const end = Date.now() + timeoutMs
    for (;;) {
      const woken = nextSave(db, collection, id, Math.min(everyMs, Math.max(1, end - Date.now())))
      waiting.add(woken.cancel)
      try {
        const found = await probe()
        if (found !== undefined || isClosed || Date.now() >= end) return found
        await woken.done
      } finally {
        waiting.delete(woken.cancel)
        woken.cancel()
      }
    }
  }
  return {
    wait,
    /** Ends all waits as if their time were over: a process that ends receives no more outcomes. */
    close: () => {
      isClosed = true
      for (const wake of waiting) wake()
    },
  }
}

function nextSave(db: Database, collection: string, id: string, timeoutMs: number): { done: Promise<void>; cancel: () => void } {
  let cancel = () => {}
  const done = new Promise<void>(resolve => {
    const onSaved = (inCollection: string, savedId: string) => {
      if (inCollection === collection && savedId === id) cancel()
    }
    const timer = setTimeout(() => cancel(), timeoutMs)
    cancel = () => {
      clearTimeout(timer)
      db.changes.off('saved', onSaved)
      resolve()
    }
    db.changes.on('saved', onSaved)
  })
  return { done, cancel }
}
