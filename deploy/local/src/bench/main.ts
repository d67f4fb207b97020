import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { figureIn } from '@carapace/testing'
import { type LineName, lines } from './lines.ts'
import { rowOf, tableOf } from './table.ts'

/**
 * npm run bench: all benches, one after the other, and one table of what they measured against its limit. Ends with 1 below a floor.
 * `-- --only start,growth` runs the programs whose names begin with these and judges their lines alone.
 */
interface Program {
  file: string
  args?: readonly string[]
  measures: readonly LineName[]
}
const root = new URL('../../../../', import.meta.url)
const programs: readonly Program[] = [
  {
    file: 'deploy/local/dist/bench/start.bench.js',
    measures: [
      ...(['reads.agent', 'reads.gig', 'reads.list20', 'reads.list100', 'reads.discover', 'reads.search', 'reads.leaderboard'] as const),
      ...(['writes.gig', 'writes.heartbeat', 'gateway.cached', 'gateway.healthz', 'gig.perSecond', 'gig.bare', 'gig.cpu', 'gig.paid'] as const),
      ...(['idle.cpu', 'memory.idle', 'memory.reads', 'start'] as const),
    ],
  },
  {
    file: 'deploy/local/dist/bench/growth.bench.js',
    measures: ['reads.growth', 'reads.searchGrowth', 'reads.mostGrowth', 'reads.mostSearchGrowth', 'gig.growth', 'gig.mostGrowth'],
  },
  { file: 'deploy/local/dist/bench/registration.bench.js', measures: ['writes.registration'] },
  { file: 'gateway/dist/bench/gateway.bench.js', measures: ['gateway.proxied'] },
  { file: 'deploy/local/dist/bench/payments.bench.js', measures: ['payments.paid'] },
  { file: 'deploy/local/dist/bench/burst.bench.js', measures: ['burst.slowest'] },
  { file: 'libs/service/dist/bench/framework.bench.js', measures: ['framework'] },
  { file: 'services/chain-relayer/dist/bench/relayer.bench.js', measures: ['relayer.unbatched', 'relayer.batched'] },
  { file: 'libs/store/dist/bench/relay.bench.js', measures: ['store.relay'] },
  { file: 'libs/store/dist/bench/applied.bench.js', measures: ['events.p50', 'events.p99'] },
  { file: 'libs/bus/dist/bench/publish.bench.js', measures: ['bus.publish'] },
  { file: 'libs/embedded-mongo/dist/bench/mongo.bench.js', args: ['--pings', '500000'], measures: ['engine.insert', 'engine.growth'] },
]

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })
const names = values.only.split(',')
const wanted = programs.filter(({ file }) => names.some(name => file.split('/').at(-1)!.startsWith(name)))
const measured = new Map<string, number[]>()
const failed: string[] = []
const quietLoad = 2
const isQuiet = loadavg()[0]! < quietLoad
const start = performance.now()
for (const { file, args = [] } of wanted) {
  console.log(`\n${file}`)
  const began = performance.now()
  if ((await run(file, args)) !== 0) failed.push(file)
  console.log(`${((performance.now() - began) / 1_000).toFixed(0)} s`)
}
const rows = wanted.flatMap(({ measures }) => measures.map(name => rowOf(lines[name], measured.get(name) ?? [], isQuiet)))
console.log(`\n${tableOf(rows)}\n${((performance.now() - start) / 60_000).toFixed(1)} minutes`)
for (const file of failed) console.log(`FAIL ${file} ended with a fault`)
if (failed.length > 0 || rows.some(({ isBelowFloor }) => isBelowFloor)) process.exitCode = 1

/** Resolves to its exit code. */
async function run(file: string, args: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, ['--enable-source-maps', fileURLToPath(new URL(file, root)), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  createInterface({ input: child.stdout }).on('line', text => {
    const figure = figureIn(text)
    if (figure) measured.set(figure.line, figure.values)
    // what was measured is not lost with a run that is stopped
    console.log(figure ? `  ${figure.line}: ${figure.values.map(value => value.toPrecision(4)).join(', ')}` : `  ${text}`)
  })
  const [code] = await once(child, 'close')
  return code
}
