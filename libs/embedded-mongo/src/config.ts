import { parseArgs } from 'node:util'
import type { StartOptions } from './start.ts'

export const usage = `usage: embedded-mongo --data DIR [--port 27017 | --socket PATH] [--bind ADDRESS] [--test-commands]`

/** Reads the command line. Throws with a sentence for the user when it makes no sense. */
export function readConfig(argv: readonly string[]): StartOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      data: { type: 'string' },
      port: { type: 'string' },
      socket: { type: 'string' },
      bind: { type: 'string' },
      'test-commands': { type: 'boolean' },
    },
  })
  if (!values.data) throw new Error('--data DIR is needed')
  if (values.socket !== undefined && (values.port !== undefined || values.bind !== undefined)) throw new Error('--socket excludes --port and --bind')
  const common = { path: values.data, testCommands: values['test-commands'] === true }
  if (values.socket !== undefined) return { ...common, socket: values.socket }
  const port = Number(values.port ?? '27017')
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`--port ${values.port} is no port`)
  return { ...common, port, host: values.bind ?? '127.0.0.1' }
}
