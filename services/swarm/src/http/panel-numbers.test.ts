import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { validationExpired } from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { openCase, read, seated, validationsOf, votes } from '../testing/cases.ts'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('numbers of a panel over HTTP', () => {
  let harness: Harness & { validators: TestAgent[] }
  before(async () => {
    harness = await startHarness(6)
    await harness.platform.bus.subscribe(
      { name: `test.${randomUUID()}`, exchange: 'events', bindings: [validationExpired.type] },
      async ({ data }) => {
        expired.push(validationExpired.read(data))
      },
    )
  })
  after(() => harness.close())

  const expired: ReturnType<typeof validationExpired.read>[] = []
  const validate = async (numbers: object, budget?: string) => {
    const { gigId, poster, validationId } = await openCase(harness, budget === undefined ? {} : { budget })
    const answer = await harness.call('POST', '/api/swarm/validate', { body: { gigId, ...numbers }, headers: poster.headers })
    return { ...answer, gigId, validationId }
  }

  it('cannot require more approvals than the budget has validators', async () => {
    const { status, body, validationId } = await validate({ threshold: 5 })

    assert.deepEqual([status, body.errors[0].path], [400, 'threshold'])
    const { candidateCount, threshold } = await read(harness, validationId)
    assert.deepEqual([candidateCount, threshold], [3, 2])
  })

  it('cannot require more approvals than there are validators at all', async () => {
    const { status, body } = await validate({ candidateCount: 15, threshold: 15 })

    assert.deepEqual([status, body.code, body.details.threshold], [409, 'INSUFFICIENT_VALIDATORS', 15])
  })

  it('may require every validator there is', async () => {
    const { status, body } = await validate({ threshold: 3 })

    assert.deepEqual([status, body.candidateCount, body.threshold], [201, 3, 3])
  })

  it('buy no second panel: a window that ends below a raised threshold is the last one, and approves nothing', async () => {
    const [raised, lowered] = [await validate({ candidateCount: 3, threshold: 3 }), await validate({ candidateCount: 3, threshold: 1 })]
    await votes(harness, { validationId: raised.validationId, panel: seated(await read(harness, raised.validationId)) }, 2, 'approve')

    await harness.platform.advance(73 * 3600)
    await until('both have expired', async () => {
      const found = await Promise.all([raised, lowered].map(({ validationId }) => read(harness, validationId)))
      return found.every(({ status }) => status === 'expired')
    })

    await until('the other has its second panel', async () => (await validationsOf(harness, lowered.gigId)).length === 2)
    assert.equal((await validationsOf(harness, raised.gigId)).length, 1)
    const [first, second] = [raised, lowered].map(one => expired.find(({ validationId }) => validationId === one.validationId)!)
    const { final, thresholdRaised, nextValidationId, approvals, rejections } = first!
    assert.deepEqual([final, thresholdRaised, nextValidationId, approvals, rejections], [true, true, null, 2, 0])
    assert.deepEqual([second!.final, second!.thresholdRaised], [false, false])
  })
  it('buy no second panel with a smaller panel of which all must approve, where the budget lets two be idle', async () => {
    const unanimous = await validate({ candidateCount: 3, threshold: 3 }, '100000000')
    assert.deepEqual([unanimous.status, unanimous.body.threshold], [201, 3])
    await votes(harness, { validationId: unanimous.validationId, panel: seated(await read(harness, unanimous.validationId)) }, 2, 'approve')

    await harness.platform.advance(73 * 3600)
    await until('it has expired', async () => expired.some(({ validationId }) => validationId === unanimous.validationId))

    const { final, thresholdRaised, nextValidationId } = expired.find(({ validationId }) => validationId === unanimous.validationId)!
    assert.deepEqual([final, thresholdRaised, nextValidationId], [true, true, null])
    assert.equal((await validationsOf(harness, unanimous.gigId)).length, 1)
  })
})
