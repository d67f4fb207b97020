import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Variables } from '../environment.ts'

export interface Supervised {
  name: string
  /** Where it answers /readyz. */
  url: string
  pid(): number | undefined
  /** Resolves when the process answers that it is ready and has its bus. @throws Error when it ends, or after 60 s */
  ready(): Promise<void>
  /** SIGTERM, and SIGKILL when it has not ended after 20 s. */
  close(): Promise<void>
}

export interface Program {
  name: string
  file: string
  /** A function is called at each start. */
  environment: Variables | (() => Variables)
  /** Where it answers /readyz. */
  url: string
  say: (message: string) => void
  /** Before the first, second, … start again while it does not stay up. */
  pausesMs?: readonly number[]
  /** Where its standard output goes. Default: to ours. */
  stdout?: 'inherit' | 'ignore'
}

/** Processes that start together on a small machine need more than a minute. */
const readyMs = 180_000
const patienceMs = 20_000
const defaultPausesMs = [200, 500, 1_000, 2_000, 5_000]
/** A process that ran so long has recovered from what ended the one before. */
const steadyMs = 30_000

/** Supervises a program: when it ends by itself it is started again, after longer and longer pauses while that does not help. */
export function supervise({ name, file, environment, url, say, pausesMs = defaultPausesMs, stdout = 'inherit' }: Program): Supervised {
  let closing = false
  let falls = 0
  let pause: NodeJS.Timeout | undefined
  let child = launch()

  function launch(): ChildProcess {
    const startedAt = Date.now()
    // The channel notifies the child when this process has ended, for any reason: no child outlives it.
    const launched = spawn(process.execPath, ['--enable-source-maps', file], {
      env: typeof environment === 'function' ? environment() : environment,
      stdio: ['ignore', stdout, 'inherit', 'ipc'],
    })
    launched.once('exit', (code, signal) => {
      if (closing) return
      falls = Date.now() - startedAt > steadyMs ? 1 : falls + 1
      const wait = pausesMs[Math.min(falls, pausesMs.length) - 1]!
      say(`${name} ended (${signal ?? code}) and is started again in ${wait / 1000} s`)
      pause = setTimeout(() => {
        child = launch()
      }, wait)
    })
    return launched
  }

  return {
    name,
    url,
    pid: () => child.pid,
    ready: async () => {
      const end = Date.now() + readyMs
      while (!(await isReady(url))) {
        if (closing || Date.now() > end) throw new Error(`${name} was not ready within ${readyMs / 1000} s`)
        await new Promise(resolve => setTimeout(resolve, 50))
      }
    },
    close: async () => {
      closing = true
      clearTimeout(pause)
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), patienceMs)
      await ended
      clearTimeout(late)
    },
  }
}

/** A start is complete when messages arrive too: without its bus a process serves reads only. */
const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1_000) })
    .then(async response => response.ok && !((await response.json()) as { degraded: string[] }).degraded.includes('bus'))
    .catch(() => false)
