import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../telemetry/log.ts'

/** One thing that is due. */
export interface DueWork {
  id: string
  /** What must not occupy more than its share: a receiver, an agent. */
  key: string
  work(): Promise<unknown>
}

export interface WorkOptions {
  /** How many are worked on at the same time, in all and of one key. */
  most: number
  mostPerKey: number
  /** What is due, of none of these keys and none of these ids: at most so many, the longest due first. */
  due(without: { keys: readonly string[]; ids: readonly string[] }, limit: number): Promise<readonly DueWork[]>
  log: Logger
}

/** What becomes due meanwhile waits so long at most. */
const pollMs = 500

/**
 * Works through everything that is due, and what becomes due meanwhile. Nothing waits for the others: what is slow holds its own place, and no key holds
 * more than its share. What fails is logged, and met again at the job's next run.
 * @param ending nothing is begun any more once it is aborted
 * @example run: (_, ending) => workThrough({ most: 50, mostPerKey: 2, due, log }, ending)
 */
export async function workThrough({ most, mostPerKey, due, log }: WorkOptions, ending: AbortSignal): Promise<void> {
  const running = new Map<string, { key: string; done: Promise<void> }>()
  const failed = new Set<string>()
  const runningOf = (key: string) => [...running.values()].filter(other => other.key === key).length
  const begin = ({ id, key, work }: DueWork) => {
    const done = Promise.resolve()
      .then(work)
      .catch((error: unknown) => {
        failed.add(id)
        log.warn({ err: error, recordId: id }, 'a record could not move on; it is tried again')
      })
      .finally(() => running.delete(id))
    running.set(id, { key, done: done as Promise<void> })
  }
  const fill = async () => {
    while (running.size < most && !ending.aborted) {
      const keys = [...new Set([...running.values()].map(({ key }) => key))].filter(key => runningOf(key) >= mostPerKey)
      const found = await due({ keys, ids: [...running.keys(), ...failed] }, most - running.size)
      if (found.length === 0) return
      for (const piece of found) if (runningOf(piece.key) < mostPerKey) begin(piece)
    }
  }
  for (;;) {
    await fill()
    if (running.size === 0) return
    const waited = new AbortController()
    const pause = sleep(pollMs, undefined, { signal: waited.signal }).catch(() => {})
    await Promise.race([pause, ...[...running.values()].map(({ done }) => done)])
    waited.abort()
  }
}
