import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { openSystem, type Player, until } from '@carapace/testing'
import { publicReads, sendAll } from '../restart-torture/reads.ts'
import { everyProcess, replicated, startDistributedSystem } from '../testing/distributed.ts'
import { faultsOf } from '../testing/health.ts'
import { exchange, heartbeats, interleave } from './exchange.ts'

// npm run torture:rolling [-- --requests=20000 --rate=200]
const { values } = parseArgs({ options: { requests: { type: 'string', default: '20000' }, rate: { type: 'string', default: '200' } } })
const [requests, rate] = [Number(values.requests), Number(values.rate)]
const writers = 20

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
    await exchange(one, inRotation)
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
