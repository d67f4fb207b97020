import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { treasuryApi } from '@carapace/api'
import { until } from '@carapace/testing'
import { balance, call, doctor, fundedAgent, peers } from '../testing/agents.ts'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { usdc } from '../testing/token.ts'

const chain = 'BASE_SEPOLIA' as const
const { reserveFunds, getReservation } = treasuryApi.internal

describe('a reservation whose command never came', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const statusOf = async (id: string) => (await peers(harness).call('treasury', getReservation, { params: { id } })).status

  it('is freed once its owner will not send it, and not while it may, nor what the relayer has received', async () => {
    const agent = await fundedAgent(harness, usdc(30))
    const [refused, open, received, later] = [1, 2, 3, 4].map(() => `escrow.lock:${randomUUID()}`) as [string, string, string, string]
    const reserve = (key: string, round = 1) =>
      peers(harness).call('treasury', reserveFunds, {
        body: { owner: 'escrow', key, round, agentId: agent.id, amount: String(usdc(4)), chain, purpose: 'Escrow of a gig' },
      })
    const polled = new Set<string>()
    harness.isOpen = (key, round) => {
      polled.add(`${key} ${round}`)
      return key === open
    }
    const ids = await Promise.all([reserve(refused), reserve(open), reserve(received), reserve(later, 2)]).then(made =>
      made.map(one => one.reservationId),
    )
    const command = { kind: 'escrow.lock', network: chain, round: 1 } as const
    harness.memory.received({ ...command, opKey: received } as never)
    // of this key the relayer knows the round before
    await harness.outcome({ ...command, opKey: later }, 'fail')
    assert.deepEqual([...polled], [])

    await harness.platform.advance(31)

    await until('two are freed', async () => (await balance(harness, agent)).reserved === Number(usdc(8)))
    await until('the others were polled', () => polled.size === 4)
    assert.deepEqual(await Promise.all(ids.map(statusOf)), ['voided', 'held', 'held', 'voided'])
    assert.equal((await call(harness, agent, 'GET', 'limits')).body.spentToday, Number(usdc(8)))
    const { transactions } = (await call(harness, agent, 'GET', 'history')).body
    assert.deepEqual(transactions.map(({ status }: { status: string }) => status).sort(), [
      'executed',
      'failed',
      'failed',
      'processing',
      'processing',
    ])
    // its owner cannot get the money of that round any more
    assert.equal((await reserve(refused)).status, 'voided')

    harness.isOpen = () => false
    await harness.platform.advance(61)
    await until('what its owner gave up is freed, too', async () => (await statusOf(ids[1]!)) === 'voided')
    assert.equal(await statusOf(ids[2]!), 'held')
    const stuck = async () => (await doctor(harness)).find(({ name }) => name === 'stuck')!.detail
    assert.deepEqual(await stuck(), [])
    await harness.platform.advance(3_600)
    assert.deepEqual(await stuck(), [`round 1 of ${received} has held money for more than an hour`])
    await harness.outcome({ ...command, opKey: received }, 'fail')
    await until('all is freed', async () => (await balance(harness, agent)).reserved === 0)
    await assertHealthy(harness)
  })
})
