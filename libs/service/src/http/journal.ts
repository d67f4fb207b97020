import type { ErrorCode } from '@carapace/api'
import type { Platform } from '../define.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'

/** What is told of a request once it is answered. */
export interface Ended {
  traceId: string
  requestId: string
  agentId: string | undefined
  status: number
  /** Milliseconds. */
  ms: number
  failure: Failure | undefined
}
export interface Failure {
  code: ErrorCode
  error: unknown
}
/** Makes the note of a request of one route. */
export type Note = (ended: Ended) => void

/**
 * One log line and one measurement for each request. Requests that are answered in the same turn of the event loop are noted together at its end: the
 * same work costs a fraction when it is done for many in a row, where each alone runs on cold caches between two system calls (docs/decisions).
 */
export function openJournal({ log, metrics }: Pick<Platform, 'log' | 'metrics'>): (method: string, route: string) => Note {
  let waiting: { note: Note; ended: Ended }[] = []
  const noteAll = () => {
    const ready = waiting
    waiting = []
    for (const { note, ended } of ready) note(ended)
  }
  return (method, route) => {
    const observe = observer(metrics, method, route)
    const write = lineWriter(log, method, route)
    const note: Note = ended => {
      observe(ended.status, ended.ms / 1000)
      write(ended)
    }
    return ended => {
      if (waiting.push({ note, ended }) === 1) setImmediate(noteAll)
    }
  }
}

/** A line holds nothing that would have to be cut out, so nothing is searched for. */
function lineWriter(log: Logger, method: string, route: string): Note {
  const lines = log.child({ method, route }, { redact: [] })
  return ({ traceId, requestId, agentId, status, ms, failure }) => {
    const line = { trace: traceId, requestId, status, ms: Math.round(ms * 10) / 10, agent: agentId, code: failure?.code }
    if (failure && status >= 500) lines.error({ ...line, err: failure.error }, 'request')
    else lines.info(line, 'request')
  }
}

/** Resolves the metric's labels once per status, not per request. */
function observer(metrics: Metrics, method: string, route: string): (status: number, seconds: number) => void {
  const children = new Map<number, { observe(seconds: number): void }>()
  return (status, seconds) => {
    let child = children.get(status)
    if (!child) {
      child = metrics.requests.labels({ route, method, status })
      children.set(status, child)
    }
    child.observe(seconds)
  }
}
