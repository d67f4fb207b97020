import assert from 'node:assert/strict'
import { doctorChecks } from '@carapace/testing'
import { openCase } from '../testing/cases.ts'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('what the swarm answers the doctor', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness(3)
  })
  after(() => harness.close())

  const inSwarm = () => harness.platform.service('swarm').platform
  const sums = async () => (await doctorChecks(harness.platform, 'swarm')).find(({ name }) => name === 'sums')

  it('is that its figures are what its documents add up to, until one is falsified', async () => {
    await openCase(harness)
    await harness.call('GET', '/api/swarm/statistics')
    assert.equal((await sums())?.count, 0)

    const rows = inSwarm().db.connection.collection<{ _id: string; of: Record<string, bigint> }>('sums')
    await rows.updateOne({ _id: 'validations/0' }, { $inc: { 'of.pending': 2n } })

    assert.deepEqual((await sums())?.detail, ['validations: "pending" is stored as 3 and adds up to 1'])
    assert.equal((await harness.call('GET', '/api/swarm/statistics')).body.pending, 3)
  })
})
