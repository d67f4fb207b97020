import assert from 'node:assert/strict'
import { bondsIn } from '../testing/bonds.ts'
import { oracle, until } from '../testing/harness.ts'
import { sharedHarness } from '../testing/shared-harness.ts'

describe('an agent that changes its bond', () => {
  const harness = sharedHarness()
  const { call, deposit, bonded } = bondsIn(harness)
  afterEach(() => {
    harness.bondVersionShown = () => undefined
  })

  /** The versions that identity was polled for, while its profile shows an older bond; then it shows the current one. */
  const answeredWhenShown = async (send: () => Promise<{ status: number }>) => {
    let polls = 0
    let isAnswered = false
    harness.bondVersionShown = () => {
      polls++
      return 0
    }
    const answer = send().then(answered => {
      isAnswered = true
      return answered
    })
    await until('the profile is polled again', () => polls > 1)
    assert.equal(isAnswered, false)
    harness.bondVersionShown = () => 1_000
    assert.equal((await answer).status, 200)
  }

  it('reads it in its profile once a deposit is answered', async () => {
    const agent = await bonded(10)

    await answeredWhenShown(() => deposit(agent, 20))
  })

  it('reads it in its profile once a withdrawal is answered', async () => {
    const agent = await bonded(30)

    await answeredWhenShown(() => call(`/api/bond/${agent.id}/withdraw`, { amount: 10 }, agent.headers))
  })

  it('reads it in its profile once a slash is answered', async () => {
    const agent = await bonded(30)

    await answeredWhenShown(() => call(`/api/bond/${agent.id}/slash`, { amount: 10, reason: 'Fraud' }, oracle))
  })

  it('gets its answer from a service that identity does not answer', async () => {
    const agent = await bonded(10)

    assert.equal((await deposit(agent, 20)).status, 200)
  })
})
