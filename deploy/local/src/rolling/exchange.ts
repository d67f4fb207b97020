import { setTimeout as sleep } from 'node:timers/promises'
import type { Player, System } from '@carapace/testing'
import type { Supervised } from '../distributed/supervise.ts'
import { atRest, type Planned } from '../restart-torture/reads.ts'
import { restart } from '../restart-torture/restart.ts'

/** Kubernetes sends nothing new to a pod that ends and gives it 5 s for what is on its way (preStop); there is less to wait for here. */
const withdrawnMs = 500

/** Writes whose answers are the same each time. */
export function heartbeats(system: System, agents: readonly Player[]): Promise<Planned[]> {
  const path = '/api/agent-heartbeat'
  return atRest(agents.map(({ headers }) => ({ path: `POST ${path}`, send: () => system.call('POST', path, { body: {}, headers }) })))
}

/** A write after each nine reads. */
export function interleave(reads: readonly Planned[], writes: readonly Planned[]): Planned[] {
  const all: Planned[] = []
  for (const [at, read] of reads.entries()) {
    all.push(read)
    if (at % 9 === 8) all.push(writes[Math.floor(at / 9) % writes.length]!)
  }
  return all
}

/**
 * Exchanges one process. A gateway gets no new requests before it ends, as its Service sees to; the services find each other by names, which say nothing
 * of that.
 * @param inRotation the addresses of the gateways that get requests
 */
export async function exchange(one: Supervised, inRotation: string[]): Promise<void> {
  const at = inRotation.indexOf(one.url)
  if (at >= 0) {
    inRotation.splice(at, 1)
    await sleep(withdrawnMs)
  }
  await restart(one, 'SIGTERM')
  if (at >= 0) inRotation.push(one.url)
}
