import { distributedAroundTests } from '../testing/around-tests.ts'
import { newValidators, scenarios } from '../testing/scenarios.ts'

describe('the whole job, one process per service on RabbitMQ', function () {
  this.timeout(300_000)
  const running = distributedAroundTests()
  before(async () => {
    await newValidators(running.system)
  })

  for (const [title, play] of scenarios) it(title, () => play(running.system))
})
