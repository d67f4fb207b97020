import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { processVariables } from '../config.ts'

/** `npm start` as a process of its own. */
export interface Child {
  url: string
  pid: number
  /** Every line of it so far. */
  printed(): readonly string[]
  /** As a power cut for this process alone. */
  kill9(): Promise<void>
  stop(): Promise<void>
}

const program = fileURLToPath(new URL('../main.js', import.meta.url))

/** Starts it on free ports, unless `more` says otherwise. @throws Error with its last words when it does not come up */
export async function startChild(dataDir: string, more: Record<string, string> = {}): Promise<Child> {
  const variables = {
    PATH: processVariables.PATH,
    DATA_DIR: dataDir,
    PORT: '0',
    DEVNET_RPC_PORT: '0',
    LOG_LEVEL: 'error',
    RATE_LIMIT_READ: '100000',
    RATE_LIMIT_WRITE: '100000',
    ...more,
  }
  const child = spawn(process.execPath, [program], { env: variables, stdio: ['ignore', 'pipe', 'pipe'] })
  const printed: string[] = []
  for (const stream of [child.stdout!, child.stderr!]) createInterface({ input: stream }).on('line', line => printed.push(line))
  const url = await firstUrl(child)
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  return { url, pid: child.pid!, printed: () => printed, kill9: () => end('SIGKILL'), stop: () => end('SIGTERM') }
}

function firstUrl(child: ChildProcess): Promise<string> {
  const complaints: string[] = []
  createInterface({ input: child.stderr! }).on('line', line => complaints.push(line))
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! }).on('line', line => {
      const found = /^ +gateway +(http\S+)/.exec(line)
      if (found) resolve(found[1]!)
    })
    child.once('exit', code => reject(new Error(complaints.join('\n') || `it ended with ${code}`)))
  })
}

/** A data folder of its own; removed at the end. */
export async function temporaryDataDir(): Promise<{ path: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'carapace-local-'))
  return { path: folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }) }
}
