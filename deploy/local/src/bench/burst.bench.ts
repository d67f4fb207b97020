import { loadavg } from 'node:os'
import { cpuSeconds, reportFigure } from '@carapace/testing'
import { newValidators } from '../testing/scenarios.ts'
import { startEmbeddedSystem } from '../torture/embedded.ts'
import { treeOf } from '../torture/process-tree.ts'
import { burstAll } from './burst.ts'

// npm run bench:burst: 200 concurrent calls of each money operation on one aggregate of a running `npm start`, on two quiet cores.
// Ends with 1 when an operation has no call that was accepted, one without a final answer, or is slower than its limits.
const calls = 200
const limitMs = 10_000
/** Of a read of another aggregate meanwhile. On a machine that was busy before it says nothing. */
const otherLimitMs = 1_000
const quietLoad = 2
const load = loadavg()[0]!
console.log(`load ${load.toFixed(1)} before the start${load < quietLoad ? '' : ': reads of others are not judged on a busy machine'}`)
const { system, pid, end } = await startEmbeddedSystem()
/** Of the start and all that it started, ms. */
const cpuMs = async () => (await treeOf(pid()!)).reduce((sum, one) => sum + cpuSeconds(one) * 1_000, 0)
const totals: number[] = []
try {
  await newValidators(system)
  for await (const { operation, totalMs, cpuMs: usedMs, answers, unfinished, otherMs } of burstAll(system, calls, cpuMs)) {
    const areOthersServed = otherMs <= otherLimitMs || load >= quietLoad
    const isAccepted = Object.keys(answers).some(answer => answer.startsWith('2'))
    const isRight = totalMs <= limitMs && areOthersServed && unfinished === 0 && isAccepted
    if (!isRight) process.exitCode = 1
    totals.push(totalMs)
    console.log(
      `${isRight ? 'ok  ' : 'FAIL'} ${calls} x ${operation.padEnd(17)} ${totalMs.toFixed(0).padStart(6)} ms (at most ${limitMs}), ${usedMs.toFixed(0)} ms of CPU, ` +
        `slowest read of another ${otherMs.toFixed(0)} ms (at most ${otherLimitMs}), load ${loadavg()[0]!.toFixed(1)}, answers ${JSON.stringify(answers)}`,
    )
  }
  reportFigure('burst.slowest', [Math.max(...totals)])
} finally {
  await end()
}
