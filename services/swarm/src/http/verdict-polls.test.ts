import assert from 'node:assert/strict'
import { refuse, validationExpired, validationResolved } from '@carapace/api'
import { until } from '@carapace/testing'
import { openCase, read, votes } from '../testing/cases.ts'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('the end of a validation', () => {
  let harness: Harness
  beforeEach(async () => {
    harness = await startHarness(9)
  })
  afterEach(() => harness.close())

  /** What the escrow is sent from here on, as types with the id that they are about; it answers while it is there. */
  const escrow = () => {
    const sent: string[] = []
    const state = { isThere: true, sent }
    harness.verdict = ({ events }) => {
      sent.push(...events.map(({ type, data }) => `${type} ${String(data.validationId)}`))
      return state.isThere ? {} : refuse('DEPENDENCY_UNAVAILABLE')
    }
    return state
  }

  it('is reported to the escrow until that has answered', async () => {
    const { validationId, ...found } = await openCase(harness)
    const state = escrow()
    state.isThere = false
    await votes(harness, { validationId, ...found }, 2, 'approve')
    const resolved = `${validationResolved.type} ${validationId}`

    await harness.platform.advance(40)
    await until('it is reported', () => state.sent.length > 0)
    state.isThere = true
    await harness.platform.advance(120)
    await until('it is reported again', () => state.sent.length > 1)
    await harness.platform.advance(600)

    assert.deepEqual(state.sent, [resolved, resolved])
  })

  it('without a verdict is reported once no second panel follows', async () => {
    const found = await openCase(harness)
    const state = escrow()
    const validation = async () => read(harness, found.validationId)

    await harness.platform.advance(72 * 3_600 + 60)
    const { status } = await until('the window is over', async () => {
      const present = await validation()
      return present.status !== 'pending' && present
    })
    const second = await until('the second round is open', async () => {
      const { body } = await harness.call('GET', `/api/swarm/validations?gigId=${found.gigId}`)
      return body.validations.find(({ id }: { id: string }) => id !== found.validationId)
    })
    assert.deepEqual([status, state.sent], ['expired', []])
    await harness.platform.advance(72 * 3_600 + 60)
    await until('the second window is over', async () => (await read(harness, second.id)).status === 'expired')
    await harness.platform.advance(60)

    await until('it is reported', () => state.sent.length > 0)
    assert.deepEqual(state.sent, [`${validationExpired.type} ${second.id}`])
  })
})
