import assert from 'node:assert/strict'
import { type TestAgent, until } from '@carapace/testing'
import { openCase, read } from '../testing/cases.ts'
import { startWorld, type World } from '../testing/world.ts'

describe('a validation that cannot move on', () => {
  let world: World & { validators: TestAgent[] }
  before(async () => {
    world = await startWorld(6)
  })
  after(() => world.close())

  it('keeps no other one waiting, although it has been due for longer', async () => {
    const faulty = await openCase(world)
    const sound = await openCase(world)
    const validations = world.platform.service('swarm').platform.db.connection.collection<{ _id: string }>('validations')
    await validations.updateOne({ _id: faulty.validationId }, { $set: { panel: null } })

    await world.platform.advance(36 * 3600 + 1)

    const replaced = await until('the silent of the sound one are replaced', async () => {
      const { validators } = await read(world, sound.validationId)
      return validators.length > 3 && validators
    })
    assert.equal(replaced.filter((seat: { replaced: boolean }) => !seat.replaced).length, 3)
  })
})
