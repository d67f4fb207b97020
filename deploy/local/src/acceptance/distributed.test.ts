import { type DistributedSystem, startDistributedSystem } from '../testing/distributed.ts'
import { newValidators, scenarios } from '../testing/scenarios.ts'

describe('the whole job, one process per service on RabbitMQ', function () {
  this.timeout(120_000)
  let running: DistributedSystem
  before(async () => {
    running = await startDistributedSystem()
    await newValidators(running.system)
  })
  after(() => running?.end())

  for (const [title, play] of scenarios) it(title, () => play(running.system))
})
