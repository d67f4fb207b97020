import { reportFigure } from '@carapace/testing'
import { growthOf, type Timing } from './compare-reads.ts'
import { timeConversations } from './conversations.ts'
import { gigGrowth } from './gigs.ts'
import { growingPlatform } from './growing-platform.ts'
import { timeListsOfAgents, timeReads } from './reads.ts'

// Part of npm run bench: what a whole gig and each read cost among many agents and among few.
const agents = { few: 1_000, many: 10_000, most: 100_000 } as const

const platform = await growingPlatform()
try {
  await platform.grow('few', agents.few)
  await platform.grow('many', agents.many)
  const gigs = await platform.onStarts(['few', 'many'], starts => gigGrowth(starts, platform.pairs))
  await platform.copy('many', 'most')
  // more records than those of agents would only lengthen the bench from here on
  await platform.grow('most', agents.most, isOfAgents)
  const mostGigs = await platform.onStarts(['few', 'most'], starts => gigGrowth(starts, platform.pairs))
  reportFigure('gig.growth', gigs)
  reportFigure('gig.mostGrowth', mostGigs)

  const reads = await platform.onSides(['few', 'many'], sides => timeReads(sides, platform.population))
  printReads('reads', [agents.few, agents.many], reads)
  const lists = await platform.onSides(['few', 'most'], timeListsOfAgents)
  printReads('lists of agents', [agents.few, agents.most], lists)
  const conversations = await timeConversations()
  printReads('reads of messages between 1,000 agents', [1_000, 100_000], conversations)
  reportFigure('reads.growth', [worst([...reads, ...conversations].filter(isList))])
  reportFigure('reads.searchGrowth', [worst(reads.filter(isSearch))])
  reportFigure('reads.mostGrowth', [worst(lists.filter(isList))])
  reportFigure('reads.mostSearchGrowth', [worst(lists.filter(isSearch))])
} finally {
  await platform.end()
}

function isOfAgents(collection: string): boolean {
  return ['agents', 'scores', 'standing'].includes(collection)
}

function isSearch({ path }: Timing): boolean {
  return path.startsWith('/api/agents/search')
}

function isList(timing: Timing): boolean {
  return !isSearch(timing)
}

function worst(timings: readonly Timing[]): number {
  return Math.max(...timings.map(growthOf))
}

function printReads(what: string, sizes: readonly [few: number, many: number], timings: readonly Timing[]): void {
  const [small, large] = sizes.map(size => size.toLocaleString('en'))
  console.log(`${`${what}, ms of CPU:`.padEnd(72)} ${small} ${large!.padStart(7)}  ratio (at most 1.2)`)
  for (const timing of timings) {
    const { path, few, many } = timing
    console.log(`  ${path.padEnd(70)} ${few.toFixed(2).padStart(5)} ${many.toFixed(2).padStart(7)} ${growthOf(timing).toFixed(2).padStart(6)}`)
  }
}
