import assert from 'node:assert/strict'
import { nextPollAt } from '@carapace/service'
import { acquireMongo, doctorChecks, type TestMongo } from '@carapace/testing'
import { type Harness, startHarness, until } from '../../testing/harness.ts'
import { deliveredGig, escrowOf, eventOf, lockFunds, newGig, type Scenario, untilStatus } from '../../testing/scenario.ts'

describe('an escrow whose outcome message was lost', function () {
  this.timeout(120_000)
  let mongo: TestMongo
  let harness: Harness
  beforeEach(async () => {
    mongo = await acquireMongo()
    harness = await startHarness({ mongo })
  })
  afterEach(async () => {
    await harness.close()
    await mongo.close()
  })
  const db = () => harness.platform.service('escrow').platform.db.connection
  const faults = async () => {
    const checks = await doctorChecks(harness.platform, 'escrow')
    return checks.find(({ name }) => name === 'outcomes')!.detail
  }
  /** A start on the same data, where nothing says that anything is open. */
  const startOnDamagedData = async (pollAfterMs: number) => {
    const { memory, gigs, validations } = harness
    await db()
      .collection('escrows')
      .updateMany({}, { $set: { outbox: [] }, $unset: { pending: '', lease: '' } })
    await db().collection('chain_outcomes').deleteMany({})
    await harness.close()
    harness = await startHarness({ mongo, pollAfterMs }, { memory } as Harness)
    Object.assign(harness, { gigs, validations })
  }
  const fundingGig = async (): Promise<Scenario> => {
    const scenario = await newGig(harness)
    harness.chain = () => 'lost'
    await lockFunds(harness, scenario, { prefer: 'respond-async' })
    await until('the command is on its way', () => harness.commands.length > 0)
    return scenario
  }

  it('says when the relayer is polled next', async () => {
    const { gigId } = await fundingGig()

    const { status, nextDeadline, updatedAt } = await escrowOf(harness, gigId)

    const since = new Date(updatedAt)
    assert.deepEqual([status, nextDeadline], ['funding', { at: nextPollAt(since, since).toISOString(), action: 'poll' }])
  })

  it('is locked by the next start', async () => {
    const { gigId } = await fundingGig()

    await startOnDamagedData(50)

    const { nextDeadline } = await untilStatus(harness, gigId, 'locked')
    assert.notEqual(nextDeadline?.action, 'poll')
  })

  it('is locked by the next start, also where its lock was stored without its field on chain', async () => {
    const { gigId } = await fundingGig()
    const escrows = () => db().collection<{ _id: string; lock: { onChain?: { status: string; round: number }; [field: string]: unknown } }>('escrows')
    const { onChain: _, payeeOnChain: __, ...rest } = (await escrows().findOne({ _id: gigId }))!.lock
    const before = { round: 1, seq: 0, txHash: null, blockNumber: null, payeeRound: 0, payeeFailed: false }
    await escrows().updateOne({ _id: gigId }, { $set: { lock: { ...rest, ...before } } })

    await startOnDamagedData(50)

    await untilStatus(harness, gigId, 'locked')
    const { onChain, round } = (await escrows().findOne({ _id: gigId }))!.lock
    assert.deepEqual([onChain?.status, onChain?.round, round], ['confirmed', 1, undefined])
  })

  it('is paid with its receipt by the next start', async () => {
    const scenario = await deliveredGig(harness)
    harness.chain = ({ kind }) => (kind === 'escrow.settle' ? 'lost' : 'confirm')
    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
    await untilStatus(harness, scenario.gigId, 'releasing')
    await until('the command is on its way', () => harness.commands.some(({ kind }) => kind === 'escrow.settle'))
    assert.equal((await escrowOf(harness, scenario.gigId)).nextDeadline?.action, 'poll')

    await startOnDamagedData(50)

    await untilStatus(harness, scenario.gigId, 'released')
    await until('the receipt', async () => (await harness.platform.call('GET', `/api/trust-receipts/gigs/${scenario.gigId}`)).status === 200)
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
