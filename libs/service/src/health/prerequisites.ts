import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../telemetry/log.ts'

/** What a process cannot start without: its database, for the relayer its networks. */
export interface Prerequisites {
  /**
   * Opens one. While it is absent /readyz names it, and the opening is attempted again.
   * @param isAbsent whether this failure may pass; any other is thrown
   * @throws what `open` throws, when it does not pass or the process is to end
   * @example const db = await prerequisites.open('mongodb', () => openDatabase(options), isUnavailable)
   */
  open<T>(name: string, open: () => Promise<T>, isAbsent: (error: unknown) => boolean): Promise<T>
  /** Names of those that are absent. */
  absent(): readonly string[]
  /** Called each time that one is found to be absent. */
  onAbsent(listener: () => void): void
}

/** A start that fails when something is absent: where all runs in one process, and nothing is waited for. */
export const nothingAwaited: Prerequisites = { open: (_name, open) => open(), absent: () => [], onAbsent: () => {} }

const [firstPauseMs, longestPauseMs] = [250, 4_000]

/** A start that waits for what is absent, until `ended`. */
export function awaitedPrerequisites(log: Pick<Logger, 'warn' | 'info'>, ended: AbortSignal): Prerequisites {
  const missing = new Set<string>()
  const listeners: (() => void)[] = []

  const noteAbsent = (name: string, error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    if (!missing.has(name)) log.warn({ absent: name, reason }, 'the start waits')
    missing.add(name)
    for (const listener of listeners) listener()
  }

  return {
    open: async (name, open, isAbsent) => {
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
        try {
          const opened = await open()
          if (missing.delete(name)) log.info({ present: name }, 'the start goes on')
          return opened
        } catch (error) {
          if (!isAbsent(error) || ended.aborted) throw error
          noteAbsent(name, error)
          await sleep(pauseMs, undefined, { signal: ended }).catch(() => {
            throw error
          })
        }
      }
    },
    absent: () => [...missing],
    onAbsent: listener => {
      listeners.push(listener)
    },
  }
}
