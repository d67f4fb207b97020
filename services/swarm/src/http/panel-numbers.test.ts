import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { validationExpired } from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { openCase, read, seated, validationsOf, votes } from '../testing/cases.ts'
import { startWorld, type World } from '../testing/world.ts'

describe('numbers of a panel over HTTP', () => {
  let world: World & { validators: TestAgent[] }
  before(async () => {
    world = await startWorld(6)
    await world.platform.bus.subscribe({ name: `test.${randomUUID()}`, exchange: 'events', bindings: [validationExpired.type] }, async ({ data }) => {
      expired.push(validationExpired.read(data))
    })
  })
  after(() => world.close())

  const expired: ReturnType<typeof validationExpired.read>[] = []
  const validate = async (numbers: object, budget?: string) => {
    const { gigId, poster, validationId } = await openCase(world, budget === undefined ? {} : { budget })
    const answer = await world.call('POST', '/api/swarm/validate', { body: { gigId, ...numbers }, headers: poster.headers })
    return { ...answer, gigId, validationId }
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

  it('buy no second panel: a window that ends below a raised threshold is the last one, and approves nothing', async () => {
    const [raised, lowered] = [await validate({ candidateCount: 3, threshold: 3 }), await validate({ candidateCount: 3, threshold: 1 })]
    await votes(world, { validationId: raised.validationId, panel: seated(await read(world, raised.validationId)) }, 2, 'approve')

    await world.platform.advance(73 * 3600)
    await until('both have expired', async () => {
      const found = await Promise.all([raised, lowered].map(({ validationId }) => read(world, validationId)))
      return found.every(({ status }) => status === 'expired')
    })

    await until('the other has its second panel', async () => (await validationsOf(world, lowered.gigId)).length === 2)
    assert.equal((await validationsOf(world, raised.gigId)).length, 1)
    const [first, second] = [raised, lowered].map(one => expired.find(({ validationId }) => validationId === one.validationId)!)
    const { final, thresholdRaised, nextValidationId, approvals, rejections } = first!
    assert.deepEqual([final, thresholdRaised, nextValidationId, approvals, rejections], [true, true, null, 2, 0])
    assert.deepEqual([second!.final, second!.thresholdRaised], [false, false])
  })
  it('buy no second panel with a smaller panel of which all must approve, where the budget lets two be idle', async () => {
    const unanimous = await validate({ candidateCount: 3, threshold: 3 }, '100000000')
    assert.deepEqual([unanimous.status, unanimous.body.threshold], [201, 3])
    await votes(world, { validationId: unanimous.validationId, panel: seated(await read(world, unanimous.validationId)) }, 2, 'approve')

    await world.platform.advance(73 * 3600)
    await until('it has expired', async () => expired.some(({ validationId }) => validationId === unanimous.validationId))

    const { final, thresholdRaised, nextValidationId } = expired.find(({ validationId }) => validationId === unanimous.validationId)!
    assert.deepEqual([final, thresholdRaised, nextValidationId], [true, true, null])
    assert.equal((await validationsOf(world, unanimous.gigId)).length, 1)
  })
})
