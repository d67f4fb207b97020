import assert from 'node:assert/strict'
import type { TestAgent } from '@carapace/testing'
import { openCase, read } from '../testing/cases.ts'
import { startWorld, type World } from '../testing/world.ts'

describe('numbers of a panel over HTTP', () => {
  let world: World & { validators: TestAgent[] }
  before(async () => {
    world = await startWorld(3)
  })
  after(() => world.close())

  const validate = async (numbers: object) => {
    const { gigId, poster, validationId } = await openCase(world)
    const answer = await world.call('POST', '/api/swarm/validate', { body: { gigId, ...numbers }, headers: poster.headers })
    return { ...answer, validationId }
  }

  it('cannot ask for more approvals than the budget has validators', async () => {
    const { status, body, validationId } = await validate({ threshold: 5 })

    assert.deepEqual([status, body.errors[0].path], [400, 'threshold'])
    const { candidateCount, threshold } = await read(world, validationId)
    assert.deepEqual([candidateCount, threshold], [3, 2])
  })

  it('cannot ask for more approvals than there are validators at all', async () => {
    const { status, body } = await validate({ candidateCount: 15, threshold: 15 })

    assert.deepEqual([status, body.code, body.details.threshold], [409, 'INSUFFICIENT_VALIDATORS', 15])
  })

  it('may ask for every validator there is', async () => {
    const { status, body } = await validate({ threshold: 3 })

    assert.deepEqual([status, body.candidateCount, body.threshold], [201, 3, 3])
  })
})
