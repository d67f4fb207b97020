import { startDistributedSystem } from '../testing/distributed.ts'
import { faultsOf } from '../testing/health.ts'
import { signal } from './process-tree.ts'
import type { Subject } from './subject.ts'

/** `npm run start:distributed`, of which each service, the gateway, the database and the chains' nodes are hit. */
export async function startDistributedSubject(): Promise<Subject> {
  const running = await startDistributedSystem()
  return {
    system: running.system,
    blows: running.victims.map(({ name, pid }) => ({
      name,
      strike: () => {
        const found = pid()
        return found !== undefined && signal(found, 'SIGKILL')
      },
    })),
    serves: () => Promise.all(running.victims.map(victim => victim.ready?.())),
    wrong: () => faultsOf(running),
    end: running.end,
  }
}
