import { startGateway } from '@carapace/gateway'
import { type System, startChainPlatform, until } from '@carapace/testing'
import { services } from '../services.ts'
import { deliver, escrowOf, fundedJob, openPanel, vote } from '../testing/job.ts'
import { newValidators } from '../testing/stories.ts'
import { median, timeLists } from './lists.ts'
import { measureMemory } from './memory.ts'
import { populate } from './population.ts'

// npm run bench:system: what the whole system is held to (lists, submit to paid, memory).
const paidRuns = 10
const platform = await startChainPlatform({ services, startGateway, env: { CHECK_ANSWERS: 'no' } })
try {
  await newValidators(platform)
  await settlementBench(platform)
  await listBench()
} finally {
  await platform.end()
}
const { platform: own, database } = await measureMemory()
console.log(`memory of the embedded start: ${own} MB + database ${database} MB = ${own + database} MB (at most 600)`)

/** From the delivery to the released escrow, when votes come at once. */
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
  const agent = await platform.newPlayer({ prefix: 'model' })
  const { id: gigId } = await platform.post(
    '/api/gigs',
    { title: 'Model', description: 'A gig to copy.', skillsRequired: ['solidity'], budget: 10 },
    agent.headers,
  )
  const model = { agentId: agent.id, handle: agent.handle, wallet: agent.wallet.address, gigId }
  await until('the copies’ model is settled', async () => (await platform.get(`/api/agents/${agent.id}`)).erc8004Registered === true)
  await populate(platform.mongo.uri, platform.mongo.prefix, model, 0, 1_000)
  const few = await timeLists(platform)
  await populate(platform.mongo.uri, platform.mongo.prefix, model, 1_000, 10_000)
  const many = await timeLists(platform)
  console.log('lists, ms:                                          1,000  10,000   ratio (at most 1.2)')
  for (const [path, before] of few) {
    const after = many.get(path)!
    console.log(`  ${path.padEnd(48)} ${before.toFixed(2).padStart(6)} ${after.toFixed(2).padStart(7)} ${(after / before).toFixed(2).padStart(7)}`)
  }
}
