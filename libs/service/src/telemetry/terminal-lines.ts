import type { DestinationStream } from 'pino'

interface Line {
  level: number
  time: string
  process: string
  service?: string
  msg?: string
  err?: { message: string; stack?: string }
  [field: string]: unknown
}

const names: Readonly<Record<number, string>> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' }
const colours: Readonly<Record<string, number>> = { trace: 90, debug: 90, info: 32, warn: 33, error: 31, fatal: 31 }
const coloured = (code: number, text: string) => `\u001b[${code}m${text}\u001b[0m`

/** Lines of a log as people read them on a terminal, one for each request. What services send each other is shown from `debug` on. */
export function terminalLines(out: { write(text: string): unknown }, level: string): DestinationStream {
  const showsEvents = level === 'debug' || level === 'trace'
  return {
    write: json => {
      const line = JSON.parse(json) as Line
      if (line.msg === 'event' && line.level <= 30 && !showsEvents) return
      out.write(`${readable(line)}\n`)
    },
  }
}

function readable({ level, time, process, service = process, msg = '', err, ...fields }: Line): string {
  const name = names[level] ?? String(level)
  const head = `${coloured(90, time.slice(11, 23))} ${coloured(colours[name] ?? 0, name.padEnd(5))} ${plain(service).padEnd(13)}`
  const reason = err ? `: ${plain(level >= 50 ? (err.stack ?? err.message) : err.message)}` : ''
  if (msg !== 'request') return `${head} ${plain(msg)}${reason}${rest(fields)}`
  const { method, route, status, ms, code, trace, ...others } = fields
  const colour = Number(status) >= 500 ? 31 : Number(status) >= 400 ? 33 : 32
  const refusal = code === undefined ? '' : ` ${plain(code)}`
  return `${head} ${plain(method)} ${plain(route)} ${coloured(colour, plain(status))}${refusal} ${plain(ms)} ms${reason}${rest({ ...others, trace })}`
}

const rest = (fields: Record<string, unknown>): string => {
  const shown = Object.entries(fields).filter(([, value]) => value !== undefined)
  return shown.length === 0 ? '' : ` ${coloured(90, shown.map(([name, value]) => `${name}=${plain(value)}`).join(' '))}`
}

/** Without control characters but line breaks: what others have sent must not command the terminal. */
const plain = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll(/\p{Cc}/gu, found => (found === '\n' ? '\n' : '·'))
