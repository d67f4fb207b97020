import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { acquireMongo, type TestAgent, type TestMongo } from '@carapace/testing'
import { bondsIn } from '../testing/bonds.ts'
import { newAgent, oracle, startWorld, until, usdc, type World } from '../testing/world.ts'

/** A process that stood still is taken for dead: another replica takes its idempotency key over, and then both run the same operation. */
describe('an operation on a bond that two replicas run', function () {
  this.timeout(60_000)
  let mongo: TestMongo
  let worlds: [World, World]
  before(async () => {
    mongo = await acquireMongo()
    worlds = [await startWorld({ mongo }), await startWorld({ mongo })]
  })
  after(async () => {
    for (const world of worlds) await world.close()
    await mongo.close()
  })

  const escrowOf = (world: World) => world.platform.service('escrow').platform
  const keys = () => escrowOf(worlds[0]).db.connection.collection('idempotency')
  const unanswered = { answer: { $exists: false } }

  async function rich(): Promise<TestAgent> {
    const agent = await newAgent(worlds[0])
    for (const world of worlds) {
      world.balances.set(`BASE_SEPOLIA/${agent.wallet}`, usdc(1_000))
      world.allowances.set(`BASE_SEPOLIA/${agent.wallet}`, usdc(1_000))
    }
    return agent
  }

  /** The first stands still before its transaction; the second runs the whole operation, then the first goes on. */
  async function twice(path: string, body: object, headers: Record<string, string>): Promise<void> {
    const [first, second] = worlds
    const { db } = escrowOf(first)
    const original = db.transaction
    let goOn = () => {}
    const gate = new Promise<void>(resolve => {
      goOn = resolve
    })
    let stands = false
    db.transaction = async (work, limitMs) => {
      stands = true
      await gate
      return original(work, limitMs)
    }
    const keyed = { body, headers: { ...headers, 'idempotency-key': randomUUID() } }
    const slow = first.platform.call('POST', path, keyed)
    await until('the first stands still', () => stands)
    await until('the second has done it', async () => {
      await keys().updateOne(unanswered, { $set: { claimedUntil: new Date(0) } })
      return (await second.platform.call('POST', path, keyed)).status === 200
    })
    db.transaction = original
    goOn()
    await slow
  }

  const history = (agent: TestAgent) => bondsIn(worlds[0]).history(agent)

  it('deposits once', async () => {
    const agent = await rich()

    await twice(`/api/bond/${agent.id}/deposit`, { amount: 20 }, agent.headers)

    assert.deepEqual(await history(agent), [['DEPOSIT', 20]])
  })

  it('withdraws once', async () => {
    const agent = await rich()
    await bondsIn(worlds[1]).deposit(agent, 100)

    await twice(`/api/bond/${agent.id}/withdraw`, { amount: 20 }, agent.headers)

    assert.deepEqual(await history(agent), [
      ['WITHDRAW', 20],
      ['DEPOSIT', 100],
    ])
  })

  it('slashes once', async () => {
    const agent = await rich()
    await bondsIn(worlds[1]).deposit(agent, 100)

    await twice(`/api/bond/${agent.id}/slash`, { amount: 20, reason: 'Fraud' }, oracle)

    assert.deepEqual(await history(agent), [
      ['SLASH', 20],
      ['DEPOSIT', 100],
    ])
    const slashes = escrowOf(worlds[0]).db.connection.collection('slashes')
    assert.equal(await slashes.countDocuments({ agentId: agent.id, status: 'APPLIED' }), 1)
  })
})
