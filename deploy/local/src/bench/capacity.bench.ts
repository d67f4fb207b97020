import { loadavg } from 'node:os'
import { cpuSeconds, residentMb, type System, startOwnBroker, until } from '@carapace/testing'
import { publicReads } from '../restart-torture/reads.ts'
import { startDistributedSystem } from '../testing/distributed.ts'
import { faultsOf } from '../testing/health.ts'
import { deliver, fundedJob, gigIs, openPanel, vote } from '../testing/job.ts'
import { declaredReads } from '../testing/reads.ts'
import { newValidators } from '../testing/scenarios.ts'

// npm run bench:capacity: CPU time of each process, one of each on RabbitMQ, for reads and for settled gigs; the table of docs/operate.md. CPU time
// does not depend on what else the machine does as much as time does.
const reads = 4_000
const settlements = 24
const concurrent = 8

const broker = await startOwnBroker()
const running = await startDistributedSystem({ broker })
const { system, platform } = running
const ours = [...platform.processes, ...platform.environment].map(({ name, pid }) => ({ name, pid: pid()! }))
const parts = [...ours, { name: 'RabbitMQ', pid: await broker.pid() }]
/** CPU seconds of each process while the work lasts, and of what follows from it. */
async function cpuOf(work: () => Promise<unknown>): Promise<Map<string, number>> {
  const before = parts.map(({ pid }) => cpuSeconds(pid))
  await work()
  await until('all that follows has happened', async () => (await faultsOf(running)).length === 0, 60)
  return new Map(parts.map(({ name, pid }, at) => [name, cpuSeconds(pid) - before[at]!]))
}
try {
  await newValidators(system)
  const { id } = await system.newPlayer()
  const planned = await publicReads(system, id)
  await play(system, 4)
  for (const { send } of planned) await send()
  const idle = await cpuOf(async () => undefined)
  const reading = await cpuOf(() => inParallel(reads, at => planned[at % planned.length]!.send()))
  const settling = await cpuOf(() => play(system, settlements))
  const perRead = (name: string) => ((reading.get(name)! - idle.get(name)!) / reads) * 1_000
  console.log(
    `CPUs that are busy with 1,000 reads/s over all ${declaredReads.length} GETs, with a gig settled each second; memory after it (load ${loadavg()[0]!.toFixed(1)})`,
  )
  console.log('| Process | CPUs per 1,000 reads/s | CPUs per settled gig/s | Memory |\n|---|---|---|---|')
  for (const { name, pid } of parts) {
    const perGig = (settling.get(name)! - idle.get(name)!) / settlements
    console.log(`| ${name} | ${perRead(name).toFixed(2)} | ${perGig.toFixed(2)} | ${residentMb(pid)} MB |`)
  }
} finally {
  await running.end()
}
process.exit()

/** Settles gigs from their post to the payment, several at the same time. */
async function play(of: System, count: number): Promise<void> {
  await inParallel(count, async () => {
    const job = await fundedJob(of)
    await deliver(of, job)
    const { id, panel } = await openPanel(of, job)
    await vote(of, id, panel.slice(0, 2), 'approve')
    await gigIs(of, job.gigId, 'completed')
  })
}

async function inParallel(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: concurrent }, worker))
}
