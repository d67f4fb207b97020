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
/** So many files of ours run in a walk at most: the named ones and those that ran besides. */
const most = { post: 52, pay: 126 }
/** Each walk is played so often, and a file counts that ran each time: what runs in the background does not. */
const plays = 3
const restMs = 15_000
/** What runs every minute runs in it. */
const idleMs = 65_000
const quietMs = 4_000
/** From the vote to the payment, which the tool lets pass without a request of its own. */
const paymentMs = 12_000
/** Declarations, tests and what every process has. */
const shared = /^(libs\/(api|bus|chain|contracts|devnet|embedded-mongo|formula|projections|testing)|deploy)\/|telemetry\//
/** The services of each walk; others only receive a copy of its facts. */
const services = { post: /^services\/marketplace\//, pay: /^services\/(marketplace|swarm|escrow|chain-relayer)\// }

const dataDir = await mkdtemp(path.join(tmpdir(), 'carapace-walks-'))
const local = await startLocal({ PATH: processVariables.PATH, DATA_DIR: dataDir, PORT: '0', DEVNET_RPC_PORT: '0', LOG_LEVEL: 'error' })
try {
  const system = await openSystem(local.url)
  await newValidators(system)
  await paidGig(system)
  // what follows the first payment for a while is no part of an idle system
  await pause(restMs)
  const coverage = await startCoverage()
  await coverage.read()
  await pause(idleMs)
  const idle = await coverage.read()
  const [, posting = '', paying = ''] = readFileSync(new URL('../../../../docs/walks.md', import.meta.url), 'utf8').split(/^## /m)
  const posted = await inEach(() => postedGig(system, coverage))
  report({ title: 'POST /api/gigs', page: posting, own: services.post, most: most.post }, posted, idle)
  // the vote comes through the gateway as the first walk does
  const paid = await inEach(() => paidGig(system, coverage))
  const further = new Map([...paid].filter(([file]) => paying.includes(file) || !posted.has(file)))
  report({ title: 'a deciding vote, to the payment', page: paying, own: services.pay, most: most.pay }, further, idle)
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

/** What ran in each of the plays of a walk. */
async function inEach(play: () => Promise<Ran>): Promise<Ran> {
  let ran = await play()
  for (let n = 1; n < plays; n++) {
    const again = await play()
    const both = [...ran].map(([file, functions]) => [file, new Set([...functions].filter(one => again.get(file)?.has(one)))] as const)
    ran = new Map(both.filter(([, functions]) => functions.size > 0))
  }
  return ran
}

interface Walk {
  title: string
  page: string
  /** The services whose files count. */
  own: RegExp
  most: number
}

/** A file that the page names must have run. What ran besides is printed, without functions that run in an idle system, too. */
function report({ title, page, own, most: ceiling }: Walk, ran: Ran, idle: Ran): void {
  const named = [...new Set(page.match(/[\w./-]+\/[\w.-]+\.ts/g))]
  const missing = named.filter(file => !ran.has(file))
  const isNew = (file: string, one: string) => !idle.get(file)?.has(one)
  const others = [...ran].filter(([file, functions]) => !named.includes(file) && [...functions].some(one => isNew(file, one)))
  const also = others.filter(([file]) => !shared.test(file) && (!file.startsWith('services/') || own.test(file)))
  const rest = others.length - also.length
  const count = named.length + also.length
  console.log(
    `${title}: ${count} files ran, ${ceiling} at most: ${named.length} are named, ${missing.length} of them did not run; ${rest} of what is left out`,
  )
  for (const file of missing) console.log(`  did not run: ${file}`)
  for (const [file, functions] of also)
    console.log(
      `  ran too: ${file} (${[...functions]
        .filter(one => isNew(file, one))
        .map(nameOf)
        .join(', ')})`,
    )
  if (missing.length > 0 || count > ceiling) process.exitCode = 1
}

/** Without its place. */
function nameOf(one: string): string {
  return one.split('@')[0] || 'a closure'
}
