import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openSystem, type System } from '@carapace/testing'
import { processVariables } from '../config.ts'
import { startLocal } from '../start.ts'
import { deliver, escrowIs, fundedJob, gigIs, openPanel, vote } from '../testing/job.ts'
import { newValidators } from '../testing/scenarios.ts'
import { type Coverage, type Ran, startCoverage } from './coverage.ts'

// npm run docs:walks
const idleMs = 15_000
const quietMs = 4_000
/** From the vote to the payment, which the tool lets pass without a request of its own. */
const paymentMs = 12_000
/** Declarations, tests and what every process has. */
const shared = /^(libs\/(api|bus|devnet|testing|embedded-mongo|chain|projections)|deploy)\/|telemetry\//
/** The services of each walk; others only receive a copy of its facts. */
const services = { post: /^services\/marketplace\//, pay: /^services\/(marketplace|swarm|escrow|chain-relayer)\// }

const dataDir = await mkdtemp(path.join(tmpdir(), 'carapace-walks-'))
const local = await startLocal({ PATH: processVariables.PATH, DATA_DIR: dataDir, PORT: '0', DEVNET_RPC_PORT: '0', LOG_LEVEL: 'error' })
try {
  const system = await openSystem(local.url)
  await newValidators(system)
  await paidGig(system)
  const coverage = await startCoverage()
  await coverage.read()
  await pause(idleMs)
  const idle = await coverage.read()
  const [, posting = '', paying = ''] = readFileSync(new URL('../../../../docs/walks.md', import.meta.url), 'utf8').split(/^## /m)
  report('POST /api/gigs', posting, await postedGig(system, coverage), idle, services.post)
  report('a deciding vote, to the payment', paying, await paidGig(system, coverage), idle, services.pay)
} finally {
  await local.close()
  await rm(dataDir, { recursive: true, force: true })
}

async function postedGig(system: System, coverage: Coverage): Promise<Ran> {
  const poster = await system.newPlayer()
  const draft = { title: 'Audit a vault', description: 'Read it, report.', skillsRequired: ['solidity'], budget: 40, chain: 'BASE_SEPOLIA' }
  await pause(quietMs)
  await coverage.read()
  await system.post('/api/gigs', { ...draft, bondRequired: 0, deadlineHours: 48 }, poster.headers)
  return coverage.read()
}

/** What ran from the deciding vote to the confirmed payment. */
async function paidGig(system: System, coverage?: Coverage): Promise<Ran> {
  const job = await fundedJob(system)
  await deliver(system, job)
  const { id, panel } = await openPanel(system, job)
  await vote(system, id, panel.slice(0, 1), 'approve')
  await pause(coverage ? quietMs : 0)
  await coverage?.read()
  await vote(system, id, panel.slice(1, 2), 'approve')
  await pause(coverage ? paymentMs : 0)
  const ran = await coverage?.read()
  await gigIs(system, job.gigId, 'completed')
  await escrowIs(system, job.gigId, 'released')
  return ran ?? new Map()
}

/** A file that the page names must have run. What ran besides is printed, without functions that run in an idle system too. */
function report(title: string, page: string, ran: Ran, idle: Ran, own: RegExp): void {
  const named = [...new Set(page.match(/[\w./-]+\/[\w.-]+\.ts/g))]
  const missing = named.filter(file => !ran.has(file))
  const others = [...ran].filter(([file, functions]) => !named.includes(file) && [...functions].some(one => !idle.get(file)?.has(one)))
  const also = others.filter(([file]) => !shared.test(file) && (!file.startsWith('services/') || own.test(file)))
  const rest = others.length - also.length
  console.log(
    `${title}: ${named.length} files named, ${missing.length} of them did not run, ${also.length} more ran, and ${rest} of what is left out`,
  )
  for (const file of missing) console.log(`  did not run: ${file}`)
  for (const [file] of also) console.log(`  ran too: ${file}`)
  if (missing.length > 0) process.exitCode = 1
}
