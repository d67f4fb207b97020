import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chains } from '@carapace/api'
import { seeded } from '@carapace/testing'
import { newValidators } from '../testing/scenarios.ts'
import { linesOf, recoverySeconds, round } from '../torture/round.ts'
import { chainFaults } from './chain-faults.ts'
import { type ChainSubject, type ChainUnderTest, startChainSubject } from './chains.ts'
import type { Fault } from './fault.ts'
import { nodeFaults } from './node-faults.ts'

// npm run torture:chain [-- seed --only=<part of a fault's name> --short]
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: '' }, short: { type: 'boolean', default: false } },
})
const seed = Number(positionals[0] ?? randomInt(1_000_000))
const settlements = 3
const random = seeded(seed)
const faults = [...nodeFaults, ...chainFaults].filter(({ name, isShort }) => name.includes(values.only) && (isShort || !values.short))
console.log(`${faults.length} faults of the chains while gigs are settled, seed ${seed}`)

/** Blocks that nothing of a round is in: what reorganises it must not reach the players' own preparations. */
const quietBlocks = 10

async function last(fault: Fault, chain: ChainUnderTest): Promise<void> {
  await chain.rpc('anvil_mine', [quietBlocks])
  const until = Date.now() + fault.seconds * 1000
  await fault.begin(chain)
  while (Date.now() < until) {
    await sleep(Math.min((fault.everySeconds ?? fault.seconds) * 1000, Math.max(0, until - Date.now())))
    if (fault.everySeconds !== undefined && Date.now() < until) await fault.begin(chain)
  }
  await fault.end?.(chain)
}

/** A system of its own for each series of faults: what one of them left broken must not count against the next. */
async function start(): Promise<ChainSubject> {
  const started = await startChainSubject(random)
  await newValidators(started.subject.system)
  return started
}

const began = performance.now()
const failed: string[] = []
let started = await start()
for (const [number, fault] of faults.entries()) {
  const chain = fault.only ?? chains[number % chains.length]!
  const { subject, chains: known } = started
  try {
    const disturb = () => last(fault, known[chain])
    const seconds = await round(subject, { chain, settlements, random, disturb, spreadMs: fault.seconds * 700 })
    console.log(`ok      ${fault.name} on ${chain}: healthy ${seconds.toFixed(1)} s after it ended`)
  } catch (error) {
    failed.push(fault.name)
    console.log(`FAILED  ${fault.name} on ${chain}, within ${recoverySeconds} s:`)
    for (const line of linesOf(error)) console.log(line)
    await started.end()
    started = await start()
  }
}
await started.end()
const seconds = ((performance.now() - began) / 1000).toFixed(0)
console.log(`${faults.length - failed.length} of ${faults.length} faults left the books equal to the chain (${seconds} s), seed ${seed}`)
process.exit(failed.length === 0 ? 0 : 1)
