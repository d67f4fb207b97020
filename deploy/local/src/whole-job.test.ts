import { startGateway } from '@carapace/gateway'
import { type ChainPlatform, startChainPlatform } from '@carapace/testing'
import { services } from './services.ts'
import { newValidators, scenarios } from './testing/scenarios.ts'

describe('the whole job, all services in one process', function () {
  this.timeout(60_000)
  let platform: ChainPlatform
  before(async () => {
    platform = await startChainPlatform({ services, startGateway })
    await newValidators(platform)
  })
  after(() => platform?.end())

  for (const [title, play] of scenarios) it(title, () => play(platform))
})
