import type { Exchange } from '@carapace/testing'
import { platformAroundTests } from '../testing/around-tests.ts'
import { commerceScenarios } from '../testing/commerce-scenarios.ts'
import { assertDeclared } from '../testing/declared-answers.ts'
import { untilCleared, untilFaultless } from '../testing/health.ts'

describe('a commerce job, all services in one process', function () {
  this.timeout(180_000)
  const exchanges: Exchange[] = []
  const platform = platformAroundTests({ validators: true, onAnswer: exchange => exchanges.push(exchange) })

  for (const [title, play] of commerceScenarios) it(title, () => play(platform))

  it('was answered as the OpenAPI document says', () => assertDeclared(platform, exchanges))

  it('leaves books that agree with the contracts', async () => {
    await untilFaultless(platform, 'commerce')
  })

  it('leaves no movement between services that only one of them has booked', async () => {
    await untilCleared(platform)
  })
})
