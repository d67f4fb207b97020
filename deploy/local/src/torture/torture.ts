import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Chain, chains } from '@carapace/api'
import { type System, seeded, until } from '@carapace/testing'
import { deliver, escrowOf, fundedJob, gigOf, headersOf, type Job, micro, openPanel } from '../testing/job.ts'

/** A process that may be killed at any moment; something starts it again. */
export interface Victim {
  name: string
  pid(): number | undefined
  /** Resolves once it serves again. Database and networks have none: whoever needs them is not ready before they are. */
  ready?(): Promise<void>
}

export interface TortureOptions {
  rounds: number
  settlements: number
  kills: number
  seed: number
  say?: (line: string) => void
}

interface Prepared {
  job: Job
  ends: 'released' | 'refunded'
  /** Brings about the verdict; repeated until it holds. */
  decide(): Promise<unknown>
}

const settleSeconds = 180

/**
 * Settles gigs while processes are killed at random moments. Afterwards every gig is settled exactly once and the chain moved exactly what the
 * records say.
 * @throws AssertionError with the gig that was lost, settled twice or for another amount
 */
export async function torture(system: System, victims: readonly Victim[], options: TortureOptions): Promise<void> {
  const { rounds, settlements, kills, seed, say = () => undefined } = options
  const random = seeded(seed)
  for (let round = 1; round <= rounds; round++) {
    const chain = chains[round % chains.length]!
    await Promise.all(victims.map(victim => victim.ready?.()))
    const { prepared, balances } = await prepare(system, chain, settlements, random)
    const before = await balances()
    let isOver = false
    const killing = kill(victims, kills, random, () => isOver, say)
    const [, killed] = await Promise.all([Promise.all(prepared.map(one => settle(system, one))).finally(() => (isOver = true)), killing])
    await proveExactness(system, prepared, before, balances)
    say(`round ${round}: ${settlements} settled on ${chain}, each exactly once; ${killed} kills`)
  }
}

/** Delivered gigs of one poster, every third in dispute. */
async function prepare(system: System, chain: Chain, settlements: number, random: () => number) {
  const poster = await system.newPlayer({ chain, usdc: 5_000, prefix: 'poster' })
  const worker = await system.newPlayer({ chain, prefix: 'worker' })
  const prepared: Prepared[] = []
  for (let n = 0; n < settlements; n++) {
    // Uneven amounts: a payment to the wrong gig would show in the sums.
    const budget = Number((10 + random() * 39).toFixed(6))
    const job = await fundedJob(system, { chain, budget, poster, worker })
    await deliver(system, job)
    prepared.push(n % 3 === 2 ? await inDispute(system, job) : await judged(system, job))
  }
  const balances = async () => ({
    poster: await system.usdcOf(chain, poster.wallet.address),
    worker: await system.usdcOf(chain, worker.wallet.address),
  })
  return { prepared, balances }
}

async function judged(system: System, job: Job): Promise<Prepared> {
  const { id, panel } = await openPanel(system, job)
  const voters = panel.slice(0, 2)
  const headers = new Map(await Promise.all(voters.map(async voter => [voter, await headersOf(system, voter)] as const)))
  const decide = async () => {
    for (const voterId of voters)
      await system.call('POST', '/api/swarm/vote', { body: { validationId: id, voterId, vote: 'approve' }, headers: headers.get(voterId)! })
  }
  return { job, ends: 'released', decide }
}

async function inDispute(system: System, job: Job): Promise<Prepared> {
  await until('the dispute is open', async () => {
    const complaint = { gigId: job.gigId, reason: 'not what was asked for' }
    const { status } = await system.call('POST', '/api/escrow/dispute', { body: complaint, headers: job.poster.headers })
    return status < 300
  })
  const ruling = { gigId: job.gigId, releaseToPayee: false, reason: 'looked at it' }
  return { job, ends: 'refunded', decide: () => system.call('POST', '/api/escrow/admin-resolve', { body: ruling, headers: system.admin }) }
}

async function settle(system: System, { job, ends, decide }: Prepared): Promise<void> {
  await until(
    `gig ${job.gigId} is ${ends}`,
    async () => {
      const { status } = await escrowOf(system, job.gigId)
      if (status === ends) return true
      if (status === 'locked' || status === 'disputed') await decide()
      await sleep(200)
      throw new Error(`its escrow is ${status}`)
    },
    settleSeconds,
  ).catch(async cause => {
    throw new Error(await stateOf(system, job.gigId), { cause })
  })
}

/** What the services say of a gig that did not come to its end. */
async function stateOf(system: System, gigId: string): Promise<string> {
  const paths = [`/api/gigs/${gigId}`, `/api/escrow/${gigId}`, `/api/swarm/validations?gigId=${gigId}`]
  const answers = await Promise.all(paths.map(path => system.call('GET', path)))
  return answers.map(({ status, body }, n) => `${paths[n]}: ${status} ${JSON.stringify(body)}`).join('\n')
}

async function kill(
  victims: readonly Victim[],
  kills: number,
  random: () => number,
  isOver: () => boolean,
  say: (line: string) => void,
): Promise<number> {
  let killed = 0
  while (killed < kills && !isOver()) {
    await sleep(random() * 1_500)
    const victim = victims[Math.floor(random() * victims.length)]!
    const pid = victim.pid()
    if (pid === undefined || !end(pid)) continue
    killed++
    say(`  kill -9 ${victim.name}`)
  }
  return killed
}

function end(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL')
    return true
  } catch {
    return false
  }
}

async function proveExactness(system: System, prepared: readonly Prepared[], before: Balances, balances: () => Promise<Balances>): Promise<void> {
  let [paid, refunded] = [0n, 0n]
  for (const { job, ends } of prepared) {
    await until('the gig is final', async () => (await gigOf(system, job.gigId)).status === (ends === 'released' ? 'completed' : 'cancelled'), 60)
    if (ends === 'refunded') {
      refunded += micro(job.budget)
      continue
    }
    const receipt = await until('the receipt is there', () => system.get(`/api/trust-receipts/gigs/${job.gigId}`), 60)
    assert.equal(micro(receipt.netPaid) + micro(receipt.platformFee), micro(job.budget), `receipt of ${job.gigId}`)
    paid += micro(receipt.netPaid)
  }
  const after = await balances()
  assert.deepEqual({ poster: after.poster - before.poster, worker: after.worker - before.worker }, { poster: refunded, worker: paid })
}

interface Balances {
  poster: bigint
  worker: bigint
}
