import { randomInt } from 'node:crypto'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Chain, chains } from '@carapace/api'
import { seeded } from '@carapace/testing'
import { newValidators } from '../testing/scenarios.ts'
import { linesOf, piecesOf, recoverySeconds, round } from '../torture/round.ts'
import { chainFaults } from './chain-faults.ts'
import { type ChainSubject, type ChainUnderTest, startChainSubject } from './chains.ts'
import type { Fault } from './fault.ts'
import { laneRecovery } from './lane-recovery.ts'
import { nodeFaults } from './node-faults.ts'

// npm run torture:chain [-- seed --only=<part of a fault's name> --chain=<network of all faults that it knows> --times=<of each> --short]
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    chain: { type: 'string' },
    times: { type: 'string', default: '1' },
    short: { type: 'boolean', default: false },
  },
})
if (values.chain !== undefined && !chains.some(chain => chain === values.chain)) throw new Error(`--chain is one of ${chains.join(', ')}`)
const seed = Number(positionals[0] ?? randomInt(1_000_000))
const settlements = 3
const random = seeded(seed)
const faults = [...nodeFaults, ...chainFaults].filter(({ name, isShort }) => name.includes(values.only) && (isShort || !values.short))
const chainsOf = ({ only, isOnEach }: Fault, number: number): readonly Chain[] => {
  if (values.chain !== undefined) return chains.filter(chain => chain === values.chain && (only ?? chain) === chain)
  return isOnEach && !values.short ? chains : [only ?? chains[number % chains.length]!]
}
const runs = Array.from({ length: Number(values.times) }, () =>
  faults.flatMap((fault, number) => chainsOf(fault, number).map(chain => ({ fault, chain }))),
).flat()
const load = (): string => `load ${loadavg()[0]!.toFixed(1)}`
console.log(`${runs.length} faults of the chains while gigs are settled, seed ${seed} (${load()})`)

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

let isEnding = false
let starting: Promise<ChainSubject>

/** A system of its own for each series of faults: what one of them left broken must not count against the next. */
async function start(): Promise<ChainSubject> {
  if (isEnding) return starting
  starting = startChainSubject(random)
  const started = await starting
  await newValidators(started.subject.system)
  return started
}

/** The chains' nodes are no children of the terminal: nobody else would end them. */
async function stop(): Promise<void> {
  isEnding = true
  const { end } = await starting
  await end()
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop().finally(() => process.exit(1)))

const began = performance.now()
const failed: string[] = []
let started = await start()
for (const { fault, chain } of runs) {
  const { subject, chains: networks } = started
  try {
    let recovery: Promise<number> | undefined
    const disturb = async () => {
      await last(fault, networks[chain])
      if (fault.laneSeconds !== undefined) recovery = laneRecovery(subject.system, networks[chain])
      recovery?.catch(() => undefined)
    }
    const seconds = await round(subject, { chain, pieces: piecesOf(settlements), random, disturb, spreadMs: fault.seconds * 700 })
    const laneSeconds = await recovery
    const lane =
      laneSeconds === undefined ? '' : `, its lane confirmed a new transaction after ${laneSeconds.toFixed(1)} s (at most ${fault.laneSeconds})`
    if (laneSeconds !== undefined && laneSeconds > fault.laneSeconds!) throw new Error(`healthy after ${seconds.toFixed(1)} s${lane}`)
    console.log(`ok      ${fault.name} on ${chain}: healthy ${seconds.toFixed(1)} s after it ended${lane} (${load()})`)
  } catch (error) {
    if (isEnding) break
    failed.push(fault.name)
    console.log(`FAILED  ${fault.name} on ${chain}, within ${recoverySeconds} s (${load()}):`)
    for (const line of linesOf(error)) console.log(line)
    await started.end()
    started = await start()
  }
}
if (!isEnding) {
  await started.end()
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  console.log(`${runs.length - failed.length} of ${runs.length} faults left the books equal to the chain (${seconds} s), seed ${seed}`)
  process.exit(failed.length === 0 ? 0 : 1)
}
