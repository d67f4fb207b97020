import { setTimeout as pause } from 'node:timers/promises'
import { median, type Player, reportFigure, type System, until } from '@carapace/testing'
import { deliver, fundedJob, gigIs, openPanel, vote } from '../testing/job.ts'
import { newValidators } from '../testing/scenarios.ts'
import { type RecordedGigs, recordGigs } from './bare-gigs.ts'
import type { BenchStart } from './bench-start.ts'
import { cpuOf } from './load.ts'

const concurrent = 8
const rounds = 3
/** A program is faster with each of its first rounds. */
const growthWarmUp = 4
const growthRounds = 6
/** As a client polls that follows no events: every read costs the platform more than a step of the gig. */
const pollMs = 100
/** What follows from the receipts is on chain by then. */
const settledMs = 4_000

export interface GigPlayers {
  validators: Player[]
  /** As many as gigs are played at a time. */
  pairs: Pair[]
}
export interface Pair {
  poster: Player
  worker: Player
}

export const newGigPlayers = async (system: System): Promise<GigPlayers> => ({
  validators: await newValidators(system),
  pairs: await Promise.all(Array.from({ length: concurrent }, () => pairOf(system))),
})

/** One gig of each pair, at a time. */
export const playRound = (system: System, pairs: readonly Pair[]): Promise<number[]> => Promise.all(pairs.map(pair => play(system, pair)))

/**
 * CPU of a whole gig, post to receipt, 8 at a time, on the second platform as a part of that on the first: a value for each round. The two play
 * alternately, and work that one does while the other plays counts as its own.
 */
export async function gigGrowth(starts: readonly [BenchStart, BenchStart], pairs: readonly Pair[]): Promise<number[]> {
  const costs: [number[], number[]] = [[], []]
  const before = [0, 0]
  const all = growthWarmUp + growthRounds
  for (let round = 0; round <= all; round++)
    for (const [at, { system, pids }] of starts.entries()) {
      const now = await cpuOf(pids)
      if (round > growthWarmUp) costs[at]!.push((now - before[at]!) / pairs.length)
      before[at] = now
      if (round < all) await playRound(system, pairs)
    }
  for (const cost of costs) console.log(`a gig: ${cost.map(one => one.toFixed(3)).join(', ')} s of CPU`)
  return costs[1].map((cost, round) => cost / costs[0][round]!)
}

export interface TimedGigs {
  players: Player[]
  /** What a network got for one round of them. */
  recorded: RecordedGigs
  /** CPU seconds of one, with the anvils. */
  seconds: number
  gigs: number
}

/** Plays gigs from post to receipt, 8 at a time: how many a second, what one costs, and the time from the delivery to the payment. */
export async function timeGigs({ system, pids, anvilPids }: BenchStart): Promise<TimedGigs> {
  const { validators, pairs } = await newGigPlayers(system)
  const paidMs: number[] = []
  for (const pair of pairs.slice(0, 2)) await play(system, pair)
  const [perSecond, cpu, withAnvils]: [number[], number[], number[]] = [[], [], []]
  const playTimed = async () => {
    const [start, before, anvilsBefore] = [performance.now(), await cpuOf(pids), await cpuOf(anvilPids)]
    paidMs.push(...(await playRound(system, pairs)))
    perSecond.push((concurrent * 1_000) / (performance.now() - start))
    await pause(settledMs)
    cpu.push(((await cpuOf(pids)) - before) / concurrent)
    withAnvils.push(cpu.at(-1)! + ((await cpuOf(anvilPids)) - anvilsBefore) / concurrent)
  }
  await pause(settledMs)
  for (let round = 1; round < rounds; round++) await playTimed()
  const recorded = await recordGigs(system.networks.BASE_SEPOLIA, playTimed)
  reportFigure('gig.perSecond', perSecond)
  reportFigure('gig.cpu', cpu)
  console.log(`submit to paid with ${concurrent} at a time: median ${median(paidMs).toFixed(0)} ms`)
  const alone: number[] = []
  for (const pair of pairs.slice(0, 5)) alone.push(await play(system, pair))
  reportFigure('gig.paid', alone)
  const players = [...validators, ...pairs.flatMap(({ poster, worker }) => [poster, worker])]
  return { players, recorded, seconds: median(withAnvils), gigs: concurrent }
}

const pairOf = async (system: System): Promise<Pair> => ({
  poster: await system.newPlayer({ usdc: 1_000, prefix: 'poster' }),
  worker: await system.newPlayer({ prefix: 'worker' }),
})

/** As its worker sees it: what anybody else reads may be a second old. */
async function isReleased(system: System, gigId: string, { headers }: Player): Promise<boolean> {
  const { body } = await system.call('GET', `/api/escrow/${gigId}`, { headers })
  return (body.escrow ?? body).status === 'released'
}

/** Resolves to the milliseconds from the delivery to the released escrow. */
async function play(system: System, pair: Pair): Promise<number> {
  const job = await fundedJob(system, { ...pair, pollMs })
  const start = performance.now()
  await deliver(system, job)
  const { id, panel } = await openPanel(system, job)
  await vote(system, id, panel.slice(0, 2), 'approve')
  await until('the worker sees its payment', () => isReleased(system, job.gigId, pair.worker), undefined, pollMs)
  const ms = performance.now() - start
  await gigIs(system, job.gigId, 'completed')
  return ms
}
