import { type DestinationStream, type Logger, pino } from 'pino'
import { terminalLines } from './terminal-lines.ts'

export type { Logger } from 'pino'

/**
 * JSON lines on stdout (or in `file`, or to `destination`), with the process that writes them; services add their names. On a terminal they are for
 * people. Headers, bodies and keys are never passed to it; what might hold one is cut out.
 */
export function makeLog(options: { process: string; level: string; file?: string; destination?: DestinationStream }): Logger {
  const settings = {
    level: options.level,
    base: { process: options.process },
    timestamp,
    redact: { paths: ['headers', 'body', '*.privateKey', '*.seed', '*.passphrase', '*.token'], censor: '[cut]' },
  }
  if (process.stdout.isTTY && options.file === undefined && !options.destination) return pino(settings, terminalLines(process.stdout, options.level))
  // lines go out together: one write for each costs a request more than the rest of its log line; what waits is written when the process ends
  return pino(settings, options.destination ?? pino.destination({ dest: options.file ?? 1, sync: false, minLength: 8_192, periodicFlush: 200 }))
}

let lastMs = 0
let last = ''
/** Many lines are written in one millisecond, and share its text. */
function timestamp(): string {
  const now = Date.now()
  if (now !== lastMs) {
    lastMs = now
    last = `,"time":"${new Date(now).toISOString()}"`
  }
  return last
}
