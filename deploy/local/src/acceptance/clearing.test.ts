import assert from 'node:assert/strict'
import type { ServiceName } from '@carapace/api'
import { type Player, until } from '@carapace/testing'
import { platformAroundTests } from '../testing/around-tests.ts'
import { clearingFaultsIn, ledgers, untilCleared } from '../testing/health.ts'
import { deliver, escrowIs, fundedJob, gigIs } from '../testing/job.ts'

const chain = 'BASE_SEPOLIA'
const graceMs = 10 * 60_000
/** µ */
const refund = 40_000_000n

describe('a movement between the ledgers of two services', function () {
  this.timeout(300_000)
  const platform = platformAroundTests()
  let gigId: string
  before(async () => {
    gigId = await refundedToTreasury()
    await untilCleared(platform)
  })
  afterEach(() => bookedAtTreasury(-refund))

  /** A gig that a treasury has paid and got back: two movements between escrow and treasury, both sides booked. */
  async function refundedToTreasury(): Promise<string> {
    const poster = await platform.newPlayer({ prefix: 'saver' })
    const { depositAddress } = await platform.post(`/api/agents/${poster.id}/treasury/fund`, {}, poster.headers)
    await platform.faucet(depositAddress, 100, chain)
    await until('the deposit is credited', async () => (await balanceOf(poster)) === 100e6)
    const job = await fundedJob(platform, { poster, budget: 40 })
    assert.equal(await balanceOf(poster), 60e6)
    await deliver(platform, job)
    await gigIs(platform, job.gigId, 'pending_validation')
    const complaint = { gigId: job.gigId, reason: 'not what was asked for' }
    await until('it is disputed', async () => {
      const { status } = await platform.call('POST', '/api/escrow/dispute', { body: complaint, headers: poster.headers })
      return status < 300
    })
    await platform.post('/api/escrow/admin-resolve', { gigId: job.gigId, releaseToPayee: false, reason: 'read it' }, platform.admin)
    await escrowIs(platform, job.gigId, 'refunded')
    await until('the refund is credited', async () => (await balanceOf(poster)) === 100e6)
    return job.gigId
  }
  const balanceOf = async ({ id, headers }: Player): Promise<number> =>
    (await platform.call('GET', `/api/agents/${id}/treasury/balance`, { headers })).body.balance

  const faults = (grace?: number) => clearingFaultsIn(platform, grace)
  const collection = <Row extends { _id: string }>(service: ServiceName, name: string) =>
    platform.service(service).platform.db.connection.collection<Row>(name)
  const accountId = () => `${chain}/clearing:escrow.settle:${gigId}`
  const accounts = () => collection<{ _id: string; balance: bigint }>('treasury', 'ledger_accounts')
  const bookedAtTreasury = (balance: bigint) => accounts().updateOne({ _id: accountId() }, { $set: { balance } })
  const entriesOf = { 'lines.account': { $regex: 'clearing:escrow.settle:' } }

  it('is booked by all that have a ledger', async () => {
    assert.deepEqual(ledgers.toSorted(), ['commerce', 'domains', 'escrow', 'treasury'])
    assert.deepEqual(await faults(), [])
    assert.equal((await accounts().findOne({ _id: accountId() }))?.balance, -refund)
  })

  it('is named by the doctor when one of them has not booked it, after its time', async () => {
    await bookedAtTreasury(0n)

    const [fault, ...others] = await faults()

    assert.equal(fault, `escrow.settle:${gigId} on ${chain} is off by 40000000: escrow booked 40000000, treasury booked 0`)
    assert.deepEqual(others, [])
    assert.deepEqual(await faults(graceMs), [])
    for (const service of ['escrow', 'treasury'] as const)
      await collection<{ _id: string; at: Date }>(service, 'ledger_entries').updateMany(entriesOf, {
        $set: { at: new Date(Date.now() - 2 * graceMs) },
      })
    assert.deepEqual(await faults(graceMs), [fault])
  })

  it('is explained by a record in a passing state', async () => {
    const statusIs = (status: string) =>
      collection<{ _id: string; status: string }>('escrow', 'escrows').updateOne({ _id: gigId }, { $set: { status } })
    await bookedAtTreasury(0n)

    await statusIs('refunding')
    const whileRefunding = await faults()
    await statusIs('refunded')

    assert.deepEqual(whileRefunding, [])
    assert.equal((await faults()).length, 1)
  })
})
