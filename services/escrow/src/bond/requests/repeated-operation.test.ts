import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { acquireMongo, type TestAgent, type TestMongo } from '@carapace/testing'
import { bondsIn } from '../../testing/bonds.ts'
import { type Harness, newAgent, oracle, startHarness, until, usdc } from '../../testing/harness.ts'

/** A process that does not answer is considered dead: another replica claims its idempotency key, and then both run the same operation. */
describe('an operation on a bond that two replicas run', function () {
  this.timeout(120_000)
  let mongo: TestMongo
  let harnesses: [Harness, Harness]
  before(async () => {
    mongo = await acquireMongo()
    harnesses = [await startHarness({ mongo }), await startHarness({ mongo })]
  })
  after(async () => {
    for (const harness of harnesses) await harness.close()
    await mongo.close()
  })

  const escrowOf = (harness: Harness) => harness.platform.service('escrow').platform
  const keys = () => escrowOf(harnesses[0]).db.connection.collection('idempotency')
  const unanswered = { answer: { $exists: false } }

  async function rich(): Promise<TestAgent> {
    const agent = await newAgent(harnesses[0])
    for (const harness of harnesses) {
      harness.balances.set(`BASE_SEPOLIA/${agent.wallet}`, usdc(1_000))
      harness.allowances.set(`BASE_SEPOLIA/${agent.wallet}`, usdc(1_000))
    }
    return agent
  }

  /** The first is held before it writes the bond; the second runs the whole operation, then the first goes on. */
  async function twice(path: string, body: object, headers: Record<string, string>): Promise<void> {
    const [first, second] = harnesses
    const bonds = escrowOf(first).db.connection.collection('bonds')
    const original = bonds.updateOne
    let goOn = () => {}
    const gate = new Promise<void>(resolve => {
      goOn = resolve
    })
    let isHeld = false
    bonds.updateOne = async (...write) => {
      isHeld = true
      await gate
      return original.apply(bonds, write)
    }
    const keyed = { body, headers: { ...headers, 'idempotency-key': randomUUID() } }
    const slow = first.platform.call('POST', path, keyed)
    await until('the first is held', () => isHeld)
    await until('the second has done it', async () => {
      await keys().updateOne(unanswered, { $set: { claimedUntil: new Date(0) } })
      return (await second.platform.call('POST', path, keyed)).status === 200
    })
    bonds.updateOne = original
    goOn()
    await slow
  }

  const history = (agent: TestAgent) => bondsIn(harnesses[0]).history(agent)

  it('deposits once', async () => {
    const agent = await rich()

    await twice(`/api/bond/${agent.id}/deposit`, { amount: 20 }, agent.headers)

    assert.deepEqual(await history(agent), [['DEPOSIT', 20]])
  })

  it('withdraws once', async () => {
    const agent = await rich()
    await bondsIn(harnesses[1]).deposit(agent, 100)

    await twice(`/api/bond/${agent.id}/withdraw`, { amount: 20 }, agent.headers)

    assert.deepEqual(await history(agent), [
      ['WITHDRAW', 20],
      ['DEPOSIT', 100],
    ])
  })

  it('slashes once', async () => {
    const agent = await rich()
    await bondsIn(harnesses[1]).deposit(agent, 100)

    await twice(`/api/bond/${agent.id}/slash`, { amount: 20, reason: 'Fraud' }, oracle)

    assert.deepEqual(await history(agent), [
      ['SLASH', 20],
      ['DEPOSIT', 100],
    ])
    const slashes = escrowOf(harnesses[0]).db.connection.collection('slashes')
    assert.equal(await slashes.countDocuments({ agentId: agent.id, status: 'APPLIED' }), 1)
  })
})
