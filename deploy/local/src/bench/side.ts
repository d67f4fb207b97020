import { fork } from 'node:child_process'
import { once } from 'node:events'
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

/** What a side has used so far. */
export const secondsOf = async (side: Side): Promise<number> => (await side.pids()).reduce((sum, pid) => sum + threadSeconds(pid), 0)
