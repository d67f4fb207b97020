import { startGateway } from '@carapace/gateway'
import { median, type System, startChainPlatform, until } from '@carapace/testing'
import { services } from '../services.ts'
import { deliver, escrowOf, fundedJob, openPanel, vote } from '../testing/job.ts'
import { newValidators } from '../testing/scenarios.ts'
import type { Timing } from './compare-reads.ts'
import { timeConversations } from './conversations.ts'
import { timeReads } from './lists.ts'
import { measureMemory } from './memory.ts'

// npm run bench:system: what the whole system is held to (lists, submit to paid, memory).
const paidRuns = 10
const platform = await startChainPlatform({ services, startGateway, heartbeatMs: 1_000, env: { CHECK_ANSWERS: 'no' } })
try {
  await newValidators(platform)
  await settlementBench(platform)
} finally {
  await platform.end()
}
await listBench()
const { platform: own, database } = await measureMemory()
console.log(`memory of the embedded start: ${own} MB + database ${database} MB = ${own + database} MB (at most 600)`)

/** From the delivery to the released escrow, when votes come immediately. */
async function settlementBench(system: System): Promise<void> {
  const times: number[] = []
  for (let n = 0; n < paidRuns; n++) {
    const job = await fundedJob(system)
    const start = performance.now()
    await deliver(system, job)
    const { id, panel } = await openPanel(system, job)
    await vote(system, id, panel.slice(0, 2), 'approve')
    await until('it is paid', async () => (await escrowOf(system, job.gigId)).status === 'released')
    times.push(performance.now() - start)
  }
  console.log(`submit to paid, ${paidRuns} gigs: median ${median(times).toFixed(0)} ms, slowest ${Math.max(...times).toFixed(0)} ms (at most 2000)`)
}

async function listBench(): Promise<void> {
  printReads('reads', '1,000  10,000', await timeReads())
  printReads('reads of messages between 1,000 agents', '1,000 100,000', await timeConversations())
}

function printReads(what: string, sizes: string, timings: readonly Timing[]): void {
  console.log(`${`${what}, ms of CPU:`.padEnd(72)} ${sizes}  ratio (at most 1.2)`)
  for (const { path, few, many } of timings)
    console.log(`  ${path.padEnd(70)} ${few.toFixed(2).padStart(5)} ${many.toFixed(2).padStart(7)} ${(many / few).toFixed(2).padStart(6)}`)
}
