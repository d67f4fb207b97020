import type { ErrorCode } from '@carapace/api'
import type { Platform } from '../define.ts'
import type { Logger } from './log.ts'

/**
 * Does for all items of one event loop tick, at its end, what need not be done immediately. Work of which nobody waits for the result costs a
 * fraction when it is done for many in a row: each alone runs on cold caches between two system calls (docs/decisions/013).
 * An error of `work` is uncaught, as that of any callback; the items after it are done in the next tick.
 * @example const note = atTickEnd(line => log.info(line))
 */
export function atTickEnd<Item>(work: (item: Item) => void): (item: Item) => void {
  let waiting: Item[] = []
  const later = (item: Item) => {
    if (waiting.push(item) === 1) setImmediate(workAll)
  }
  const workAll = () => {
    const items = waiting
    waiting = []
    let done = 0
    try {
      for (const item of items) {
        done += 1
        work(item)
      }
    } finally {
      for (const item of items.slice(done)) later(item)
    }
  }
  return later
}

/** A request that is answered, as the gateway and services log it. */
export interface Answered {
  traceId: string
  requestId: string
  agentId: string | undefined
  status: number
  /** Milliseconds. */
  ms: number
  failure: { code: ErrorCode } | undefined
}

/**
 * What every request's log line holds; its writer adds method and route.
 * @example log.info({ method, route, ...requestLine(answered) }, 'request')
 */
export const requestLine = ({ traceId, requestId, agentId, status, ms, failure }: Answered) => ({
  trace: traceId,
  requestId,
  status,
  ms: Math.round(ms * 10) / 10,
  agent: agentId,
  code: failure?.code,
})

/** What is recorded of a request once it is answered. */
export interface Ended extends Answered {
  failure: Failure | undefined
}
export interface Failure {
  code: ErrorCode
  error: unknown
}
/** Makes the note of a request of one route. */
export type Note = (ended: Ended) => void

/** One log line and one measurement for each request, made at the end of the event loop tick in which it is answered. */
export function openJournal({ log, metrics }: Pick<Platform, 'log' | 'metrics'>): (method: string, route: string) => Note {
  const later = atTickEnd(({ note, ended }: { note: Note; ended: Ended }) => note(ended))
  return (method, route) => {
    const write = lineWriter(log, method, route)
    const note: Note = ended => {
      metrics.answered(route, method, ended.status, ended.ms / 1000)
      write(ended)
    }
    return ended => later({ note, ended })
  }
}

/** A line holds nothing that would have to be cut out, so nothing is searched for. */
function lineWriter(log: Logger, method: string, route: string): Note {
  const lines = log.child({ method, route }, { redact: [] })
  return ended => {
    const line = requestLine(ended)
    if (ended.failure && ended.status >= 500) lines.error({ ...line, err: ended.failure.error }, 'request')
    else lines.info(line, 'request')
  }
}
