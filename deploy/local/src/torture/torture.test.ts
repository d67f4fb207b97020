import { type DistributedSystem, startDistributedSystem } from '../testing/distributed.ts'
import { assertWell } from '../testing/health.ts'
import { newValidators } from '../testing/stories.ts'
import { torture } from './torture.ts'

describe('settlements while processes are killed', function () {
  this.timeout(240_000)
  let running: DistributedSystem
  before(async () => {
    running = await startDistributedSystem()
    await newValidators(running.system)
  })
  after(() => running?.end())

  it('are each made exactly once, and the ledger is what the contracts hold: 5 rounds', async () => {
    await torture(running.system, running.victims, { rounds: 5, settlements: 3, kills: 2, seed: 7 })
    await assertWell(running)
  })
})
