import { readdirSync, readFileSync } from 'node:fs'
import { openSystem, residentMb } from '@carapace/testing'
import { startChild, temporaryDataDir } from '../testing/child.ts'
import { deliver, fundedJob, gigIs, openPanel, vote } from '../testing/job.ts'
import { newValidators } from '../testing/scenarios.ts'

const settlements = 5

/** Resident MB of `npm start` after some settlements: the process itself and its database, without the two anvils. */
export async function measureMemory(): Promise<{ platform: number; database: number }> {
  const folder = await temporaryDataDir()
  const child = await startChild(folder.path)
  try {
    const system = await openSystem(child.url)
    await newValidators(system)
    for (let n = 0; n < settlements; n++) {
      const job = await fundedJob(system)
      await deliver(system, job)
      const { id, panel } = await openPanel(system, job)
      await vote(system, id, panel.slice(0, 2), 'approve')
      await gigIs(system, job.gigId, 'completed')
    }
    system.close()
    return { platform: residentMb(child.pid), database: Math.max(0, ...childrenOf(child.pid).filter(isNode).map(residentMb)) }
  } finally {
    await child.stop()
    await folder.remove()
  }
}

const isNode = (pid: number): boolean => readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('node')

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => {
      try {
        return Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) === parent
      } catch {
        return false
      }
    })
}
