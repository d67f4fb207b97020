import assert from 'node:assert/strict'
import { escrowApi } from '@carapace/api'
import { nextPollAt } from '@carapace/service'
import { acquireMongo, type TestMongo } from '@carapace/testing'
import { deliveredGig, escrowOf, lockFunds, newGig, type Story, told, untilStatus } from '../testing/story.ts'
import { startWorld, until, type World } from '../testing/world.ts'

describe('an escrow whose outcome no message brought', function () {
  this.timeout(60_000)
  let mongo: TestMongo
  let world: World
  beforeEach(async () => {
    mongo = await acquireMongo()
    world = await startWorld({ mongo })
  })
  afterEach(async () => {
    await world.close()
    await mongo.close()
  })
  const db = () => world.platform.service('escrow').platform.db.connection
  const faults = async () => {
    const { checks } = await world.platform.service('escrow').platform.peers.call('escrow', escrowApi.internal.doctorReport)
    return checks.find(({ name }) => name === 'outcomes')!.detail
  }
  /** A start on the same data, where nothing says that anything is open. */
  const startOnDamagedData = async (pollAfterMs: number) => {
    const { memory, gigs, validations } = world
    await db()
      .collection('escrows')
      .updateMany({}, { $set: { outbox: [] }, $unset: { pending: '', lease: '' } })
    await db().collection('chain_outcomes').deleteMany({})
    await world.close()
    world = await startWorld({ mongo, pollAfterMs }, { memory } as World)
    Object.assign(world, { gigs, validations })
  }
  const fundingGig = async (): Promise<Story> => {
    const story = await newGig(world)
    world.chain = () => 'lost'
    await lockFunds(world, story, { prefer: 'respond-async' })
    await until('the command is on its way', () => world.commands.length > 0)
    return story
  }

  it('says when the relayer is asked next', async () => {
    const { gigId } = await fundingGig()

    const { status, nextDeadline, updatedAt } = await escrowOf(world, gigId)

    const since = new Date(updatedAt)
    assert.deepEqual([status, nextDeadline], ['funding', { at: nextPollAt(since, since).toISOString(), action: 'poll' }])
  })

  it('is locked by the next start', async () => {
    const { gigId } = await fundingGig()

    await startOnDamagedData(50)

    const { nextDeadline } = await untilStatus(world, gigId, 'locked')
    assert.notEqual(nextDeadline?.action, 'poll')
  })

  it('is paid with its receipt by the next start', async () => {
    const story = await deliveredGig(world)
    world.chain = ({ kind }) => (kind === 'escrow.settle' ? 'lost' : 'confirm')
    await world.platform.publish(told.resolved(story, 'approved'))
    await untilStatus(world, story.gigId, 'releasing')
    await until('the command is on its way', () => world.commands.some(({ kind }) => kind === 'escrow.settle'))

    await startOnDamagedData(50)

    await untilStatus(world, story.gigId, 'released')
    await until('the receipt', async () => (await world.platform.call('GET', `/api/trust-receipts/gigs/${story.gigId}`)).status === 200)
  })

  it('is named by the doctor while it has not moved on', async () => {
    const { gigId } = await fundingGig()
    assert.deepEqual(await faults(), [])

    // past the minute, before the first poll of an hour
    await startOnDamagedData(3_600_000)
    await db()
      .collection<{ _id: string }>('escrows')
      .updateOne({ _id: gigId }, { $set: { updatedAt: new Date(Date.now() - 3 * 3_600_000) } })

    const [fault] = await faults()
    assert.match(String(fault), new RegExp(`^escrow ${gigId} in funding: the chain decided escrow.lock:${gigId} at .* not handled here$`))
  })
})
