import assert from 'node:assert/strict'
import { type TestAgent, until } from '@carapace/testing'
import { openCase, read } from '../testing/cases.ts'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('a validation that cannot move on', () => {
  let harness: Harness & { validators: TestAgent[] }
  before(async () => {
    harness = await startHarness(6)
  })
  after(() => harness.close())

  it('delays no other one, although it has been due for longer', async () => {
    const faulty = await openCase(harness)
    const sound = await openCase(harness)
    const validations = harness.platform.service('swarm').platform.db.connection.collection<{ _id: string }>('validations')
    await validations.updateOne({ _id: faulty.validationId }, { $set: { panel: null } })

    await harness.platform.advance(36 * 3600 + 1)

    const replaced = await until('the silent of the sound one are replaced', async () => {
      const { validators } = await read(harness, sound.validationId)
      return validators.length > 3 && validators
    })
    assert.equal(replaced.filter((seat: { replaced: boolean }) => !seat.replaced).length, 3)
  })
})
