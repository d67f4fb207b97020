import { mkdirSync, writeFileSync } from 'node:fs'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { allAttacks } from './attacks.ts'
import { formulas } from './formulas/formulas.ts'
import { marketOf } from './markets.ts'
import { type Cell, planOf } from './plan.ts'
import { htmlOf } from './report/html.ts'
import { rowsOf } from './report/rows.ts'
import { tablesOf } from './report/table.ts'
import { writeTable } from './report/write-table.ts'
import { type Figures, run } from './run.ts'

// npm run lab: every attack in every market under every formula. Output: a table, lab/report.html, lab/report.json.
interface Task extends Cell {
  n: number
  seed: string
}

const attacks = await allAttacks()
const runTask = ({ market, attack, formula, seed }: Task): Figures => run(marketOf(market, seed), attacks.get(attack)!, formulas[formula]!, seed)

if (isMainThread) await main()
else parentPort!.on('message', (task: Task) => parentPort!.postMessage(runTask(task)))

async function main(): Promise<void> {
  const { cells, seeds, from, workers, write } = planOf(process.argv.slice(2), [...attacks.keys()])
  // the same chance for every formula: their difference is then theirs
  const tasks = cells.flatMap((cell, n) =>
    Array.from({ length: seeds }, (_, seed) => ({ ...cell, n, seed: `${cell.market}/${cell.attack}/${from + seed}` })),
  )
  const started = Date.now()
  const rows = rowsOf(cells, tasks, await runAll(tasks, workers))
  const titles = new Map([...attacks].map(([name, { title }]) => [name, title]))
  process.stdout.write(
    `${tablesOf(rows)}\n${tasks.length} runs in ${Math.round((Date.now() - started) / 1000)} s; lab/report.html, lab/report.json\n`,
  )
  mkdirSync('lab', { recursive: true })
  writeFileSync('lab/report.json', `${JSON.stringify({ seeds, from, rows }, null, 1)}\n`)
  writeFileSync('lab/report.html', htmlOf(rows, titles, seeds))
  if (write) writeTable('docs/trust.md', rows, { seeds, from })
}

/** The figures of each task, whichever thread runs it. */
function runAll(tasks: readonly Task[], count: number): Promise<Figures[]> {
  const figures: Figures[] = []
  let next = 0
  const workOff = () =>
    new Promise<void>((resolve, reject) => {
      const thread = new Worker(new URL(import.meta.url))
      let at = -1
      const feed = () => {
        at = next++
        const task = tasks[at]
        if (task) thread.postMessage(task)
        else void thread.terminate().then(() => resolve())
      }
      thread.on('message', (found: Figures) => {
        figures[at] = found
        feed()
      })
      thread.on('error', reject)
      feed()
    })
  return Promise.all(Array.from({ length: Math.min(count, tasks.length) }, workOff)).then(() => figures)
}
