import { everyProcess, replicated, startDistributedSystem } from '../testing/distributed.ts'
import { faultsOf } from '../testing/health.ts'
import { signal } from './process-tree.ts'
import type { Subject } from './subject.ts'

/** `npm run start:distributed`, of which each replica of each service and the gateway, the database and the chains' nodes are hit. */
export async function startDistributedSubject(replicas = 1): Promise<Subject> {
  const running = await startDistributedSystem(replicas > 1 ? replicated(everyProcess, replicas) : {})
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
