import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { processIdentity } from '@carapace/devnet'
import { until } from '@carapace/testing'
import { startVariables } from '../testing/distributed.ts'
import { signal, treeOf } from './process-tree.ts'

const programs = {
  embedded: fileURLToPath(new URL('../main.js', import.meta.url)),
  distributed: fileURLToPath(new URL('../distributed/main.js', import.meta.url)),
}

/**
 * Kills the process that a start begins with, and waits for the end of all that it had started, the chains' nodes excepted: the next start of that
 * folder adopts them.
 * @returns after how many seconds @throws Error when something outlives it by more than `limitSeconds`
 */
export async function secondsToEnd(start: keyof typeof programs, limitSeconds: number): Promise<number> {
  const { variables, remove } = await startVariables()
  const child = spawn(process.execPath, [programs[start]], { env: variables, stdio: ['ignore', 'pipe', 'inherit'] })
  let family = new Map<number, string | undefined>()
  try {
    // Its banner comes when everything runs.
    await once(child.stdout, 'data')
    family = new Map((await treeOf(child.pid!)).map(pid => [pid, processIdentity(pid)]))
    const mortal = [...family.keys()].filter(pid => !isChainNode(pid))
    const killedAt = performance.now()
    child.kill('SIGKILL')
    await until(
      `all ${mortal.length} processes of the ${start} start have ended`,
      () => mortal.every(pid => processIdentity(pid) !== family.get(pid)),
      limitSeconds,
    )
    return (performance.now() - killedAt) / 1000
  } finally {
    for (const [pid, identity] of family) if (processIdentity(pid) === identity) signal(pid, 'SIGKILL')
    await remove()
  }
}

function isChainNode(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('anvil')
  } catch {
    return false
  }
}
