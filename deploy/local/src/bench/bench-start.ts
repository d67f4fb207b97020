import { readFile } from 'node:fs/promises'
import { openSystem, proportionalMb, type System } from '@carapace/testing'
import { startChild } from '../testing/child.ts'
import { treeOf } from '../torture/process-tree.ts'

/** `npm start` on a data folder, as a process of its own. */
export interface BenchStart {
  system: System
  /** From the start of the process to the line that says where the gateway is. */
  seconds: number
  /** Everything but the anvils. */
  pids(): Promise<number[]>
  /** The database alone. */
  enginePids(): Promise<number[]>
  anvilPids(): Promise<number[]>
  /** MB of everything but the anvils. */
  memory(): Promise<number>
  end(): Promise<void>
}

export async function benchStart(dataDir: string): Promise<BenchStart> {
  const began = performance.now()
  const child = await startChild(dataDir, { RATE_LIMIT_READ: '100000000', RATE_LIMIT_WRITE: '100000000' })
  const seconds = (performance.now() - began) / 1_000
  const system = await openSystem(child.url)
  const those = async (isWanted: (command: string) => boolean) => {
    const tree = await treeOf(child.pid)
    const commands = await Promise.all(tree.map(pid => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined)))
    return tree.filter((_, at) => commands[at] !== undefined && isWanted(commands[at]))
  }
  const isAnvil = (command: string) => /anvil/.test(command.split('\0')[0]!)
  const pids = () => those(command => !isAnvil(command))
  return {
    system,
    seconds,
    pids,
    enginePids: () => those(command => command.includes('embedded-mongo')),
    anvilPids: () => those(isAnvil),
    memory: async () => (await pids()).reduce((sum, pid) => sum + proportionalMb(pid), 0),
    end: async () => {
      system.close()
      await child.stop()
    },
  }
}
