import { reportFigure } from '@carapace/testing'
import { growthOf, type Timing } from './compare-reads.ts'
import { timeConversations } from './conversations.ts'
import { timeReads } from './lists.ts'

// Part of npm run bench: what each read costs among many agents and among few.
const { many: reads, most } = await timeReads()
printReads('reads', '1,000  10,000', reads)
printReads('lists of agents', '1,000 100,000', most)
const conversations = await timeConversations()
printReads('reads of messages between 1,000 agents', '1,000 100,000', conversations)
const isSearch = ({ path }: Timing) => path.startsWith('/api/agents/search')
const isList = (timing: Timing) => !isSearch(timing)
const worst = (timings: readonly Timing[]) => Math.max(...timings.map(growthOf))
reportFigure('reads.growth', [worst([...reads, ...conversations].filter(isList))])
reportFigure('reads.searchGrowth', [worst(reads.filter(isSearch))])
reportFigure('reads.mostGrowth', [worst(most.filter(isList))])
reportFigure('reads.mostSearchGrowth', [worst(most.filter(isSearch))])

function printReads(what: string, sizes: string, timings: readonly Timing[]): void {
  console.log(`${`${what}, ms of CPU:`.padEnd(72)} ${sizes}  ratio (at most 1.2)`)
  for (const timing of timings) {
    const { path, few, many } = timing
    console.log(`  ${path.padEnd(70)} ${few.toFixed(2).padStart(5)} ${many.toFixed(2).padStart(7)} ${growthOf(timing).toFixed(2).padStart(6)}`)
  }
}
