import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { swarmApi } from '@carapace/api'
import { writePast } from '@carapace/store'
import { until } from '@carapace/testing'
import { decided, openCase, votes } from '../testing/cases.ts'
import { type Harness, startHarness } from '../testing/harness.ts'

describe('rewards whose funding is lost', () => {
  let harness: Awaited<ReturnType<typeof startHarness>>
  beforeEach(async () => {
    harness = await startHarness(3)
  })
  afterEach(() => harness.close())

  const shown = async (agentId: string) => (await harness.call('GET', `/api/swarm/claimable-rewards/${agentId}`)).body.claimable[0]
  /** Two winners whose rewards have accrued, and what the escrow is sent about them. */
  const accrued = async () => {
    const found = await openCase(harness)
    const winners = found.panel.slice(0, 2) as [string, string]
    await votes(harness, found, 2, 'approve')
    await harness.platform.publish(decided(found, { validationId: found.validationId }))
    await until('the rewards have accrued', async () => (await Promise.all(winners.map(shown))).every(one => one?.state === 'accrued'))
    const requests: Parameters<Harness['funding']>[0][] = []
    const answer = (funded: (bigint | undefined)[]) => {
      harness.funding = request => {
        requests.push(request)
        const rewards = winners.map((validatorId, index) => ({ validatorId, funded: String(funded[index] ?? 0n) }))
        return { isOver: funded.length > 0, rewards }
      }
    }
    answer([])
    const now = () => harness.platform.service('swarm').platform.clock.now().getTime()
    /** Until the time that a reward shows. */
    const advance = async () => {
      const { nextDeadline } = await shown(winners[0])
      assert.equal(nextDeadline.action, 'poll')
      const count = requests.length
      await harness.platform.advance(Math.ceil((Date.parse(nextDeadline.at) - now()) / 1_000) + 1)
      await until('the escrow is polled', () => requests.length > count)
    }
    return { found, winners, requests, answer, advance }
  }

  it('are polled for all of a validation, each time later, and carry on from the answer', async () => {
    const { found, winners, requests, answer, advance } = await accrued()

    await advance()
    assert.deepEqual(
      requests.map(({ validationId, gigId, rewards }) => [validationId, gigId, rewards.map(({ validatorId }) => validatorId).sort()]),
      [[found.validationId, found.gigId, [...winners].sort()]],
    )
    // 30 s after the first poll is no time for another
    await harness.platform.advance(30)
    assert.equal(requests.length, 1)
    answer([100_000n, 100_000n])
    await advance()

    await until('they are funded', async () => (await Promise.all(winners.map(shown))).every(one => one.state === 'funded'))
    assert.deepEqual(
      (await Promise.all(winners.map(shown))).map(one => [one.amount, one.nextDeadline]),
      [
        [0.1, null],
        [0.1, null],
      ],
    )
    assert.equal(requests.length, 2)
  })

  it('are sent for all winners, also where a crash had stored those of some', async () => {
    const { found, winners, requests, advance } = await accrued()
    const { db } = harness.platform.service('swarm').platform
    const id = `${found.validationId}.${winners[1]}`
    await writePast(db, 'rewards', [id], () => db.connection.collection<{ _id: string }>('rewards').deleteOne({ _id: id }))

    await advance()

    assert.deepEqual(
      requests
        .at(-1)!
        .rewards.map(({ validatorId }) => validatorId)
        .sort(),
      [...winners].sort(),
    )
    assert.equal((await shown(winners[1])).state, 'accrued')
  })

  it('are polled no more once the escrow has nothing to fund them from', async () => {
    const { found, winners, requests, answer, advance } = await accrued()

    answer([100_000n, 0n])
    await advance()

    await until('one is funded', async () => (await shown(winners[0])).state === 'funded')
    await until('the other does not wait', async () => (await shown(winners[1])).nextDeadline === null)
    assert.equal((await shown(winners[1])).state, 'accrued')
    await harness.platform.advance(600)
    assert.equal(requests.length, 1)

    // but by an operator, whose top-up the escrow reports until it is answered
    const { peers } = harness.platform.service('swarm').platform
    const { noteFunding } = swarmApi.internal
    const note = (validatorId: string) =>
      peers.find('swarm', noteFunding, { params: { id: found.validationId }, body: { rewards: [{ validatorId, funded: '50000' }] } })
    for (const _ of [1, 2]) assert.ok(await note(winners[1]))
    const { state, amount } = await shown(winners[1])
    assert.deepEqual([state, amount], ['funded', 0.05])
    assert.equal(await note(randomUUID()), undefined)
  })
})
