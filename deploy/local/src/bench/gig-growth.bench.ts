import { median, reportFigure, until } from '@carapace/testing'
import { startEngine } from '../engine.ts'
import { temporaryDataDir } from '../testing/child.ts'
import { benchStart } from './bench-start.ts'
import type { Marks } from './copies.ts'
import { gigCosts, newGigPlayers } from './gigs.ts'
import { populate, type Records, readAll, sharedKeys } from './population.ts'

// Part of npm run bench: what a whole gig costs among 1,000 agents, 10,000, and 100,000. The same ten validators judge it, for copies have no keys on chain.
const sizes = [1_000, 10_000, 100_000] as const
/** More records than those of agents would only lengthen the bench from here on. */
const fullCopies = 10_000
const rounds = 3

const folder = await temporaryDataDir()
let running = await benchStart(folder.path)
try {
  const players = await newGigPlayers(running.system)
  const all = [...players.validators, ...players.pairs.flatMap(({ poster, worker }) => [poster, worker])]
  await gigCosts(running.system, players, running.pids, 0)
  for (const { id } of all) await until('it is on chain', async () => (await running.system.get(`/api/agents/${id}`)).erc8004Registered === true)
  const marks = { shared: await sharedKeys(running.system), names: all.map(({ handle }) => handle) }
  await running.end()
  const records = await recordsOf()
  const costs: number[] = []
  let copies = 0
  for (const size of sizes) {
    const more = Math.ceil(size / all.length) - copies
    await grow(size > fullCopies ? records.filter(isOfAgents) : records, marks, more, copies)
    copies += more
    running = await benchStart(folder.path)
    const cost = await gigCosts(running.system, players, running.pids, rounds)
    costs.push(median(cost))
    console.log(`a gig among ${size.toLocaleString('en')} agents: ${cost.map(one => one.toFixed(3)).join(', ')} s of CPU`)
    await running.end()
  }
  reportFigure('gig.growth', [costs[1]! / costs[0]!])
  reportFigure('gig.mostGrowth', [costs[2]! / costs[0]!])
} finally {
  await running.end()
  await folder.remove()
}

async function recordsOf(): Promise<Records[]> {
  const engine = await startEngine(folder.path, console.error)
  try {
    return await readAll({ uri: engine.uri, prefix: '' })
  } finally {
    await engine.close()
  }
}

/** Adds copies with the numbers from `first` on. */
async function grow(of: readonly Records[], marks: Marks, copies: number, first: number): Promise<void> {
  const engine = await startEngine(folder.path, console.error)
  try {
    await populate({ uri: engine.uri, prefix: '' }, of, marks, copies, first)
  } finally {
    await engine.close()
  }
}

function isOfAgents({ collection }: Records): boolean {
  return ['agents', 'scores', 'standing', 'candidates'].includes(collection)
}
