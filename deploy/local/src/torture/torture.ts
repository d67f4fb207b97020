import { setTimeout as sleep } from 'node:timers/promises'
import { chains } from '@carapace/api'
import { seeded } from '@carapace/testing'
import { newValidators } from '../testing/scenarios.ts'
import { expiringJobs } from './expiring-jobs.ts'
import { piecesOf, round } from './round.ts'
import type { Subject } from './subject.ts'

export interface TortureOptions {
  rounds: number
  /** Per round. */
  settlements: number
  /** Per round. */
  kills: number
  /** In each round of jobs that time ends; their way is the longest. */
  expiryKills: number
  seed: number
  say?: (line: string) => void
}

/**
 * Settles gigs and jobs, moves stake, pays out of treasuries and buys reads by x402 while processes are killed at random moments. At the end time ends the
 * jobs that nobody has ended, on the platform and on the contract.
 * @throws Error with what was lost, made twice, or is stuck 120 s after a round's last kill
 */
export async function torture(
  subject: Subject,
  { rounds, settlements, kills, expiryKills, seed, say = () => undefined }: TortureOptions,
): Promise<void> {
  const random = seeded(seed)
  await newValidators(subject.system)
  for (let number = 1; number <= rounds; number++) {
    const chain = chains[number % chains.length]!
    const disturb = () => kill(subject, kills, random, say)
    const seconds = await round(subject, { chain, pieces: piecesOf(settlements), random, disturb, spreadMs: kills * 3_000 })
    say(`round ${number}: ${settlements} settled on ${chain}, each exactly once, ${kills} kills; healthy ${seconds.toFixed(1)} s after the last`)
  }
  // they move both clocks
  for (const chain of chains) {
    const disturb = () => kill(subject, expiryKills, random, say)
    const seconds = await round(subject, { chain, pieces: [expiringJobs], random, disturb, spreadMs: 0 })
    say(`jobs that time ended on ${chain}: each refunded exactly once, ${expiryKills} kills; healthy ${seconds.toFixed(1)} s after the last`)
  }
}

async function kill(subject: Subject, kills: number, random: () => number, say: (line: string) => void): Promise<void> {
  for (let killed = 0; killed < kills; ) {
    // Some are hit in the middle of their start.
    if (random() < 0.7) await subject.serves()
    await sleep(random() * 3_000)
    const blow = subject.blows[Math.floor(random() * subject.blows.length)]!
    if (!(await blow.strike())) continue
    killed++
    say(`  kill -9 ${blow.name}`)
  }
}
