import { setTimeout as pause } from 'node:timers/promises'
import { newValidators } from '../testing/scenarios.ts'
import { playActs, playDays } from './acts.ts'
import { noteCommands } from './note-commands.ts'
import { operationCounter, sumOf } from './operation-counter.ts'
import { type Measured, report, reportPlaces } from './report.ts'
import { startMonitored } from './start-monitored.ts'

// npm run bench:operations: database operations per business act. A fast machine and a slow one differ little.
// With `-- --places` also the collections that each act reads and writes.
const plays = 5
/** Each a mean over so many seconds: what runs once a minute falls into one of them. */
const [idleWindows, idleSeconds] = [7, 10]
/** Final blocks and polled outcomes still come. */
const restMs = 12_000

const { system, close } = await startMonitored()
try {
  const counter = operationCounter()
  noteCommands(counter)
  // the first heartbeat of a day costs more, and a vote is one: which of them votes must not matter
  for (const { id, headers } of await newValidators(system)) await system.post(`/api/agents/${id}/heartbeat`, {}, headers)
  const poster = await system.newPlayer({ usdc: 1_000, prefix: 'poster' })
  // the first play is the warm-up
  await playActs(system, poster, counter)
  const measured: Measured = { acts: [], idlePerSecond: [], backgroundPerSecond: Number.NaN }
  const [start, background] = [performance.now(), sumOf(counter.background())]
  for (let play = 0; play < plays; play++) measured.acts.push(await playActs(system, poster, counter))
  // what is the first of a day to one act would be a cheaper one to the next: days pass after all others
  const days = await playDays(system, poster, counter, plays)
  for (const [play, { dailyHeartbeat }] of days.entries()) Object.assign(measured.acts[play]!, { dailyHeartbeat })
  measured.backgroundPerSecond = ((sumOf(counter.background()) - background) / (performance.now() - start)) * 1_000
  await pause(restMs)
  for (let window = 0; window < idleWindows; window++) {
    const before = sumOf(counter.all())
    await pause(idleSeconds * 1_000)
    measured.idlePerSecond.push((sumOf(counter.all()) - before) / idleSeconds)
  }
  if (process.argv.includes('--places')) reportPlaces(measured, line => console.log(line))
  if (!report(measured, line => console.log(line))) process.exitCode = 1
} finally {
  await close()
}
process.exit()
