import { randomInt } from 'node:crypto'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { startDistributedSubject } from './distributed.ts'
import { startEmbeddedSystem } from './embedded.ts'
import { secondsToEnd } from './orphans.ts'
import { linesOf } from './round.ts'
import { torture } from './torture.ts'

// npm run torture:settlement [-- settlements seed --start=embedded|distributed|both --replicas=N --short]
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { start: { type: 'string' }, replicas: { type: 'string', default: '1' }, short: { type: 'boolean', default: false } },
})
const starts = { embedded: () => startEmbeddedSystem(), distributed: () => startDistributedSubject(Number(values.replicas)) }
/** A hundred kills of settlements and forty of expiring jobs in the long form, twenty of each in the short one. */
const [kills, perRound] = [10, 10]
const expiryKills = values.short ? kills : 2 * kills
const settlements = Number(positionals[0] ?? (values.short ? 2 * perRound : 10 * perRound))
const seed = Number(positionals[1] ?? randomInt(1_000_000))
/** After this time no process of a killed start is left. */
const orphanSeconds = 3
const load = (): string => `load ${loadavg()[0]!.toFixed(1)}`
const start = values.start ?? (values.short ? 'embedded' : 'both')

for (const name of ['embedded', 'distributed'] as const) {
  if (start !== 'both' && start !== name) continue
  console.log(`${settlements} settlements on the ${name} start with processes killed at random moments, seed ${seed} (${load()})`)
  const began = performance.now()
  const alone = await secondsToEnd(name, orphanSeconds).catch((error: Error) => {
    process.exitCode = 1
    return error
  })
  console.log(alone instanceof Error ? `FAILED: ${alone.message}` : `  killed at rest, all of it had ended after ${alone.toFixed(1)} s`)
  const subject = await starts[name]()
  try {
    await torture(subject, { rounds: Math.ceil(settlements / perRound), settlements: perRound, kills, expiryKills, seed, say: console.log })
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    console.log(`Every gig was settled exactly once, 0 are stuck, and the ledger is what the contracts hold (${seconds} s, ${load()}).`)
  } catch (error) {
    for (const line of linesOf(error)) console.error(line)
    console.error(`The ${name} start failed with seed ${seed}.`)
    process.exitCode = 1
  } finally {
    await subject.end()
  }
}
process.exit()
