import type { ErrorCode } from '@carapace/api'
import { atTickEnd } from '../clock/tick-end.ts'
import type { Platform } from '../define.ts'
import type { Logger } from '../telemetry/log.ts'
import { type Answered, requestLine } from './request-line.ts'

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
