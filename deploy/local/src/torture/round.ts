import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chain } from '@carapace/api'
import type { Player, System } from '@carapace/testing'
import { endedJob, type JobEnd, jobEnds } from './job-pieces.ts'
import { contestedName } from './names.ts'
import { broadcast, newParticipants, type Participants } from './participants.ts'
import { paidRead, price, sentRead } from './payers.ts'
import { type Deadline, persist } from './persist.ts'
import { bond, type Stage, type Sums, settledGig, treasury } from './pieces.ts'
import { followAndComment } from './social.ts'
import type { Subject } from './subject.ts'

/** After what goes wrong has ended, everything is as it has to be within so many seconds. */
export const recoverySeconds = 120
/** What a payment at the intake needs beyond that where its lock has failed: it goes back two minutes later. */
const returnSeconds = 150

/** A piece of work of a round. */
export type Piece = (stage: Stage) => Promise<void>

export interface RoundOptions {
  chain: Chain
  pieces: readonly Piece[]
  random: () => number
  /** What goes wrong meanwhile; resolves when it is over. */
  disturb: (participants: Participants) => Promise<unknown>
  /** The work begins at random moments within this time. */
  spreadMs: number
}

/**
 * Work goes on while something goes wrong. Afterwards every gig is settled exactly once, every deposit credited once, the ledger is what the
 * contracts hold, and nothing is stuck.
 * @returns the seconds from the end of the disturbance until all of that was so
 * @throws AggregateError with each piece of work that did not come to its end, and what the doctor found
 */
export async function round(subject: Subject, options: RoundOptions): Promise<number> {
  const { system } = subject
  const deadline: Deadline = { atMs: Date.now() + recoverySeconds * 1000 }
  await subject.serves()
  const participants = await newParticipants(system, options.chain)
  deadline.atMs = Number.POSITIVE_INFINITY
  const sums: Sums = {
    paidByPoster: 0n,
    earnedByWorker: 0n,
    bonded: 0n,
    deposited: 0n,
    paidOut: 0n,
    paidByBuyers: 0n,
    paidForReads: 0n,
    budgetsPaid: 0,
  }
  const stage: Stage = { system, participants, random: options.random, deadline, sums }
  let endedAt = 0
  const disturbed = options.disturb(participants).finally(() => {
    endedAt = Date.now()
    deadline.atMs = endedAt + recoverySeconds * 1000
  })
  const work = options.pieces.map(async piece => {
    await sleep(options.random() * options.spreadMs)
    await piece(stage)
  })
  const results = await Promise.allSettled([disturbed, ...work])
  const failures = results.flatMap(result => (result.status === 'rejected' ? [result.reason as Error] : []))
  // Sums mean something only when all pieces have ended; the doctor runs in any case.
  if (failures.length === 0) await failing(failures, () => assertSums(system, participants, sums, deadline))
  await failing(failures, () => assertHealthy(subject, deadline))
  if (failures.length === 1) throw failures[0]
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} things did not come right`)
  return (Date.now() - endedAt) / 1000
}

const settlementsPerJob = 2
const settlementsPerName = 5
const settlementsPerSentRead = 4
const settlementsPerBudget = 5

/** Each way out at least once, so that no round leaves one untried. */
export const jobsOf = (settlements: number): JobEnd[] =>
  Array.from({ length: Math.max(jobEnds.length, Math.ceil(settlements / settlementsPerJob)) }, (_, n) => jobEnds[n % jobEnds.length]!)

/**
 * So many gigs, of which every third is in dispute, every second is hired for by a message and every fifth is paid for by x402, with as many paid reads.
 * A commerce job for each way out that no clock is needed for comes with them, or one for every second gig, and a follow with a comment.
 */
export const piecesOf = (settlements: number): Piece[] => [
  ...Array.from(
    { length: settlements },
    (_, n) => (stage: Stage) =>
      settledGig(stage, {
        ends: n % 3 === 2 ? 'refunded' : 'released',
        hiredBy: n % 2 === 1 ? 'message' : 'application',
        paidBy: n % settlementsPerBudget === 0 ? 'x402' : 'allowance',
      }),
  ),
  ...jobsOf(settlements).map(end => (stage: Stage) => endedJob(stage, end)),
  ...Array.from({ length: Math.ceil(settlements / settlementsPerName) }, () => contestedName),
  ...Array.from({ length: settlements }, () => paidRead),
  // one after the other, too
  async stage => {
    for (let bought = 0; bought * settlementsPerSentRead < settlements; bought++) await sentRead(stage)
  },
  bond,
  followAndComment,
  // One after the other: both are signed by the same wallet.
  async stage => {
    await treasury(stage)
    await treasury(stage)
  },
]

async function failing(failures: Error[], check: () => Promise<unknown>): Promise<void> {
  await check().catch((error: Error) => failures.push(error))
}

/** The balances of all participants, on the chain and in the books. */
async function assertSums(system: System, participants: Participants, sums: Sums, deadline: Deadline): Promise<void> {
  const { poster, worker, bonder, saver, payee, buyers, reader, sender, income, before, chain } = participants
  const held = (address: string) => system.usdcOf(chain, address)
  const treasuryOf = async ({ id, headers }: typeof saver) => {
    const { body } = await system.call('GET', `/api/agents/${id}/treasury/balance`, { headers })
    return BigInt(body.balance)
  }
  const wanted = {
    poster: before.poster - sums.paidByPoster,
    worker: before.worker + sums.earnedByWorker,
    bonder: before.bonder - sums.bonded,
    buyers: before.buyers - sums.paidByBuyers,
    readers: before.readers - sums.paidForReads,
    income: before.income + sums.paidForReads,
    deposits: [sums.deposited - sums.paidOut, sums.paidOut],
    credits: [sums.deposited - sums.paidOut, sums.paidOut],
    payments: { reads: Number(sums.paidForReads / price), budgets: sums.budgetsPaid, open: [] },
  }
  const own = { ...deadline }
  await persist('all money is where it has to be', own, async () => {
    await broadcast(system, participants)
    const found = {
      poster: await held(poster.wallet.address),
      worker: await held(worker.wallet.address),
      bonder: await held(bonder.wallet.address),
      buyers: (await held(buyers[0].wallet.address)) + (await held(buyers[1].wallet.address)),
      readers: (await held(reader.wallet.address)) + (await held(sender.wallet.address)),
      income: await held(income),
      deposits: [await held(saver.depositAddress), await held(payee.depositAddress)],
      credits: [await treasuryOf(saver), await treasuryOf(payee)],
      payments: await paymentsOf(system, participants),
    }
    if (found.payments.open.length > 0) own.atMs = deadline.atMs + returnSeconds * 1000
    assert.deepEqual(found, wanted)
    return true
  })
}

/** Payments by x402: those that served a read, or will, and those that locked a budget. Any other is open until it is back, or has moved no money. */
async function paymentsOf(system: System, { reader, sender, poster }: Participants) {
  const statesOf = async (...payers: Player[]): Promise<string[]> => {
    const lists = await Promise.all(payers.map(({ id }) => system.get(`/api/x402/payments/${id}?limit=100`)))
    return lists.flatMap(({ payments }) => payments.map(({ state }: { state: string }) => state))
  }
  const [reads, budgets] = await Promise.all([statesOf(reader, sender), statesOf(poster)])
  const count = (states: readonly string[], ...those: string[]) => states.filter(state => those.includes(state)).length
  const others = (states: readonly string[], ...those: string[]) => states.filter(state => !those.includes(state))
  return {
    reads: count(reads, 'served', 'settled'),
    budgets: count(budgets, 'spent'),
    open: [...others(reads, 'served', 'settled', 'failed'), ...others(budgets, 'spent', 'returned', 'failed')],
  }
}

/** Nothing is stuck, and the books are what the chains hold. */
async function assertHealthy(subject: Subject, deadline: Deadline): Promise<void> {
  await persist('the doctor finds nothing', deadline, async () => {
    const findings = await subject.wrong()
    if (findings.length > 0) throw new Error(findings.map(finding => JSON.stringify(finding)).join('\n'))
    return true
  })
}

/** What a failed round found, for people. */
export function linesOf(error: unknown): string[] {
  const all: unknown[] = error instanceof AggregateError ? error.errors : [error]
  return all.map(one => `  ${one instanceof Error ? one.message.replaceAll('\n', '\n    ') : String(one)}`)
}
