import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { threadSeconds } from '@carapace/testing'
import { type Engine, startEngine } from '../engine.ts'
import { temporaryDataDir } from '../testing/child.ts'

/** A platform whose costs are compared with another's. */
export interface Side {
  url: string
  /** Its process and the database. */
  pids(): Promise<number[]>
  close(): Promise<void>
}

/** The services without the relayer and the gateway in a process of their own, on the records under `prefix`. */
export async function startSide({ uri, pid }: Engine, prefix: string): Promise<Side> {
  const child = fork(fileURLToPath(new URL('./platform-child.js', import.meta.url)), [uri, prefix], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return {
    url,
    pids: async () => [child.pid!, pid()!],
    close: async () => {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

/** A database in a process of its own, on a folder of its own. */
export async function ownEngine(): Promise<Engine> {
  const folder = await temporaryDataDir()
  const engine = await startEngine(folder.path, console.error)
  const close = async () => {
    await engine.close()
    await folder.remove()
  }
  return { ...engine, close }
}

const calmMs = 3_000
const calmSeconds = 0.15
const longestMs = 120_000

/** Resolves once it does little by itself: the polls that the records of a population are due for are over. At most two minutes. */
export async function calm(side: Side): Promise<void> {
  const endsAt = performance.now() + longestMs
  let [before, used] = [await secondsOf(side), calmSeconds]
  while (used >= calmSeconds && performance.now() < endsAt) {
    await pause(calmMs)
    const now = await secondsOf(side)
    used = now - before
    before = now
  }
}

/** What a side has used so far. */
export const secondsOf = async (side: Side): Promise<number> => (await side.pids()).reduce((sum, pid) => sum + threadSeconds(pid), 0)
