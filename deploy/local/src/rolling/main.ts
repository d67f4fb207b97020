import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openSystem, type Player, type System, until } from '@carapace/testing'
import type { Supervised } from '../distributed/supervise.ts'
import { atRest, type Planned, publicReads, sendAll } from '../restart-torture/reads.ts'
import { restart } from '../restart-torture/restart.ts'
import { everyProcess, replicated, startDistributedSystem } from '../testing/distributed.ts'
import { faultsOf } from '../testing/health.ts'

// npm run torture:rolling [-- --requests=20000 --rate=200]
const { values } = parseArgs({ options: { requests: { type: 'string', default: '20000' }, rate: { type: 'string', default: '200' } } })
const [requests, rate] = [Number(values.requests), Number(values.rate)]
const writers = 20
/** Kubernetes sends nothing new to a pod that ends and gives it 5 s for what is on its way (preStop); there is less to wait for here. */
const withdrawnMs = 500

console.log(`${rate} requests per second while every process of two replicas each is exchanged (load ${loadavg()[0]!.toFixed(1)})`)
const running = await startDistributedSystem(replicated(everyProcess))
try {
  const inRotation = running.platform.processes.filter(({ name }) => name === 'gateway').map(({ url }) => url)
  const system = await openSystem(inRotation)
  const [reader, ...agents] = (await Promise.all(Array.from({ length: writers + 1 }, () => system.newPlayer()))) as [Player, ...Player[]]
  const planned = interleave(await publicReads(system, reader.id), await heartbeats(system, agents))
  const sender = sendAll(planned, rate)
  let exchanged = 0
  while (sender.sent() < requests || exchanged < running.platform.processes.length) {
    const one = running.platform.processes[exchanged++ % running.platform.processes.length]!
    await withdrawn(one, inRotation, () => restart(one, 'SIGTERM'))
  }
  const { failures, ...sent } = await sender.stop()
  console.log(
    `${failures.length} of ${sent.requests} requests failed (a tenth of them writes) while ${exchanged} processes were exchanged; the slowest lasted ` +
      `${(sent.slowestMs / 1_000).toFixed(2)} s (load ${loadavg()[0]!.toFixed(1)})`,
  )
  for (const { path, answer } of failures.slice(0, 20)) console.log(`  ${path}: ${answer}`)
  await until('the doctor finds nothing', async () => (await faultsOf(running)).length === 0, 60)
  if (failures.length > 0) process.exitCode = 1
  system.close()
} finally {
  await running.end()
}
process.exit()

/** Writes whose answers are the same each time. */
function heartbeats(system: System, agents: readonly Player[]): Promise<Planned[]> {
  const path = '/api/agent-heartbeat'
  return atRest(agents.map(({ headers }) => ({ path: `POST ${path}`, send: () => system.call('POST', path, { body: {}, headers }) })))
}

/** A write after each nine reads. */
function interleave(reads: readonly Planned[], writes: readonly Planned[]): Planned[] {
  const all: Planned[] = []
  for (const [at, read] of reads.entries()) {
    all.push(read)
    if (at % 9 === 8) all.push(writes[Math.floor(at / 9) % writes.length]!)
  }
  return all
}

/** A gateway gets no new requests before it ends, as its Service sees to; the services find each other by names, which say nothing of that. */
async function withdrawn(one: Supervised, inRotation: string[], exchange: () => Promise<unknown>): Promise<void> {
  const at = inRotation.indexOf(one.url)
  if (at >= 0) {
    inRotation.splice(at, 1)
    await sleep(withdrawnMs)
  }
  await exchange()
  if (at >= 0) inRotation.push(one.url)
}
