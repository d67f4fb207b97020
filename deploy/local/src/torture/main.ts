import { randomInt } from 'node:crypto'
import { startDistributedSystem } from '../testing/distributed.ts'
import { assertWell, illnesses } from '../testing/health.ts'
import { newValidators } from '../testing/stories.ts'
import { torture } from './torture.ts'

// npm run torture:settlement [-- settlements seed]
const settlements = Number(process.argv[2] ?? 50)
const seed = Number(process.argv[3] ?? randomInt(1_000_000))
const perRound = 10
console.log(`${settlements} settlements with processes killed at random moments, seed ${seed}`)
const running = await startDistributedSystem()
try {
  await newValidators(running.system)
  await torture(running.system, running.victims, {
    rounds: Math.ceil(settlements / perRound),
    settlements: perRound,
    kills: 6,
    seed,
    say: console.log,
  })
  await assertWell(running)
  console.log('Every gig was settled exactly once, and the ledger is what the contracts hold.')
} catch (error) {
  console.error(error)
  for (const finding of await illnesses(running)) console.error(JSON.stringify(finding))
  process.exitCode = 1
} finally {
  await running.end()
}
