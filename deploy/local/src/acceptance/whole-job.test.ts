import type { Exchange } from '@carapace/testing'
import { platformAroundTests } from '../testing/around-tests.ts'
import { assertDeclared } from '../testing/declared-answers.ts'
import { readEverything } from '../testing/read-everything.ts'
import { scenarios } from '../testing/scenarios.ts'

describe('the whole job, all services in one process', function () {
  this.timeout(180_000)
  const exchanges: Exchange[] = []
  const platform = platformAroundTests({ validators: true, onAnswer: exchange => exchanges.push(exchange) })

  for (const [title, play] of scenarios) it(title, () => play(platform))

  it('was answered as the OpenAPI document says, and so is every read', async () => {
    await readEverything(platform, [...exchanges])

    await assertDeclared(platform, exchanges)
  })
})
