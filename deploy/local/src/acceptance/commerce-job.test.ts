import assert from 'node:assert/strict'
import type { ServiceName } from '@carapace/api'
import { until } from '@carapace/testing'
import { clearingFaults, hasClearing } from '../doctor/clearing.ts'
import { services } from '../services.ts'
import { platformAroundTests } from '../testing/around-tests.ts'
import { commerceScenarios } from '../testing/commerce-scenarios.ts'
import { untilFaultless } from '../testing/health.ts'

describe('a commerce job, all services in one process', function () {
  this.timeout(180_000)
  const platform = platformAroundTests({ validators: true })

  for (const [title, play] of commerceScenarios) it(title, () => play(platform))

  it('leaves books that agree with the contracts', async () => {
    await untilFaultless(platform, 'commerce')
  })

  it('leaves no movement between services that only one of them has booked', async () => {
    const names = services.map(({ api }) => api.name as ServiceName).filter(hasClearing)
    await until('both sides are booked', async () => {
      assert.deepEqual(await clearingFaults(platform.service('commerce').platform.peers, names, 0), [])
      return true
    })
  })
})
