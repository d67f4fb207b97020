import { platformAroundTests } from '../testing/around-tests.ts'
import { scenarios } from '../testing/scenarios.ts'

describe('the whole job, all services in one process', function () {
  this.timeout(180_000)
  const platform = platformAroundTests({ validators: true })

  for (const [title, play] of scenarios) it(title, () => play(platform))
})
