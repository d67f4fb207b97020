import assert from 'node:assert/strict'
import { validationExpired } from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { openCase, read, validationsOf, vote, votes } from '../testing/cases.ts'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('validations with too few agents to judge', () => {
  let harness: Harness & { validators: TestAgent[] }
  beforeEach(async () => {
    harness = await startHarness(1)
  })
  afterEach(() => harness.close())

  it('open with those as advisers of the oracle, and a request for more finds too few', async () => {
    const { gigId, poster, validationId } = await openCase(harness)
    assert.equal((await read(harness, validationId)).oracleAssisted, true)

    const { status, body } = await harness.call('POST', '/api/swarm/validate', { body: { gigId, threshold: 2 }, headers: poster.headers })

    assert.deepEqual([status, body.code, body.details.eligible], [409, 'INSUFFICIENT_VALIDATORS', 1])
  })

  it('record what those say and give no verdict, until time ends both rounds', async () => {
    const reported: string[] = []
    harness.verdict = ({ events }) => {
      reported.push(...events.map(({ type, data }) => `${type} ${data.gigId} ${data.final}`))
      return {}
    }
    const { gigId, validationId, panel } = await openCase(harness)

    const { status, body } = await vote(harness, validationId, panel[0]!, 'approve')

    assert.deepEqual([status, body.resolution, body.validation.status, body.validation.voteCount], [200, null, 'pending', 1])
    await harness.platform.advance(72 * 3600 + 1)
    await until('its window is over', async () => (await read(harness, validationId)).status === 'expired')
    const second = await until('the second round is open', async () =>
      (await validationsOf(harness, gigId)).find((one: { round: number }) => one.round === 2),
    )
    await harness.platform.advance(72 * 3600 + 1)
    await until('it has expired, too', async () => (await read(harness, second.id)).status === 'expired')
    await until('the escrow knows that no panel decides', async () => {
      await harness.platform.advance(60)
      return reported.includes(`${validationExpired.type} ${gigId} true`)
    })
  })

  it('give one once the poster has posted numbers that they suffice for', async () => {
    const { gigId, poster, validationId, panel } = await openCase(harness)
    const body = { gigId, candidateCount: 1, threshold: 1 }
    const set = await harness.call('POST', '/api/swarm/validate', { body, headers: poster.headers })
    assert.deepEqual([set.status, set.body.oracleAssisted], [201, false])

    await votes(harness, { validationId, panel }, 1, 'approve')

    assert.equal((await read(harness, validationId)).status, 'approved')
  })
})
