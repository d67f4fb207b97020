import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { System } from '@carapace/testing'
import { manualFile } from '../mongodb-features/sources.ts'
import { distributedAroundTests } from '../testing/around-tests.ts'
import { plainCommerceScenarios } from '../testing/commerce-scenarios.ts'
import { replicated } from '../testing/distributed.ts'
import { nameChangesHands } from '../testing/names.ts'
import { assertPostedOnce, gatewaysOf, openAcrossGateways, uniqueIndexes } from '../testing/replicas.ts'
import { scenarios } from '../testing/scenarios.ts'

/** Two of every process are played in scale-out.crash.ts. */
describe('the whole job, a process per service on RabbitMQ, of some two', function () {
  this.timeout(300_000)
  const running = distributedAroundTests(replicated(['marketplace', 'escrow', 'notifications', 'gateway']))
  let system: System
  before(async () => {
    system = await openAcrossGateways(running)
  })
  after(() => system?.close())

  for (const [title, play] of [...scenarios, ...plainCommerceScenarios]) it(title, () => play(system))

  it('registers a name, which goes to another agent', () => nameChangesHands(system))

  it('is posted once when all gateways are sent it with one idempotency key', () => assertPostedOnce(system, gatewaysOf(running)))

  it('has the second unique indexes that the manual names: such a collection cannot be sharded by its ids', async () => {
    const found = await uniqueIndexes(running.platform.config.MONGODB_URI!)

    const row = /^\| whole \| (.*) \|$/m.exec(readFileSync(manualFile, 'utf8'))?.[1] ?? ''
    assert.deepEqual([...row.matchAll(/`([^`]+)`/g)].map(([, name]) => name).toSorted(), found)
  })
})
