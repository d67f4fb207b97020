import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { doctorChecks, type Player, until } from '@carapace/testing'
import { id, ZeroAddress } from 'ethers'
import { replacementAroundTests } from '../../testing/around-tests.ts'
import {
  actOnJob,
  assertJobPaid,
  assertJobRefunded,
  assignedCommerceJob,
  type CommerceJob,
  commerceJobIs,
  commerceJobOf,
  fundedCommerceJob,
  newCommerceJob,
  submittedCommerceJob,
} from '../../testing/commerce-job.ts'
import { erc8183On } from '../../testing/erc8183.ts'
import { untilCleared, untilHealthy } from '../../testing/health.ts'
import { micro } from '../../testing/job.ts'
import { newValidators } from '../../testing/scenarios.ts'

const chain = 'BASE_SEPOLIA'
type Place = { commerce: string; jobEvaluator: string }

describe('a contract of jobs that is replaced', function () {
  this.timeout(240_000)
  const { platform, start, replace } = replacementAroundTests(chain, 'Commerce', { INTERNAL_KEY: '5b'.repeat(32) })
  const opened: Record<'early' | 'unfunded' | 'delivered' | 'fromTreasury', CommerceJob> = {} as never
  let saver: Player
  let parties: { poster: Player; worker: Player }
  let direct: { recordId: string; jobId: bigint }
  /** A job of the same number as one that a wallet makes on the new contract. */
  let alike: { id: string; number: bigint }
  let former: Place
  let present: Place
  before(async () => {
    await newValidators(platform)
    former = { ...(platform.networks[chain].contracts as unknown as Place) }
    parties = { poster: await platform.newPlayer({ chain, usdc: 200 }), worker: await platform.newPlayer({ chain, usdc: 1 }) }
    direct = await onContract(former).delivered(parties.poster.wallet, parties.worker.wallet)
    const number = await onContract(former).create(parties.poster.wallet, parties.worker.wallet.address, former.jobEvaluator)
    alike = { ...(await onContract(former).shown(number, 'open')), number }
    opened.early = await fundedCommerceJob(platform, { budget: 10 })
    // as one that was opened before its contract was stored
    await jobs().updateOne({ _id: opened.early.jobId }, { $unset: { contract: 1, evaluator: 1 } })
    opened.unfunded = await newCommerceJob(platform, { budget: 20 })
    opened.delivered = await submittedCommerceJob(platform, { budget: 40 })
    saver = await newSaver()
    opened.fromTreasury = await assignedCommerceJob(platform, { budget: 30, poster: saver })
    const { file } = await replace()
    const { addresses } = JSON.parse(await readFile(file, 'utf8'))
    present = { commerce: addresses.Commerce, jobEvaluator: addresses.JobEvaluator }
    await start()
  })

  const jobs = () => platform.service('commerce').platform.db.connection.collection<{ _id: string }>('jobs')
  const onContract = (place: Place) => erc8183On(platform, chain, place)
  const heldIn = async () => ({ former: await platform.usdcOf(chain, former.commerce), present: await platform.usdcOf(chain, present.commerce) })
  const holds = (held: { former: bigint; present: bigint }) =>
    until('both contracts hold what they should', async () => {
      assert.deepEqual(await heldIn(), held)
      return true
    })
  const savings = async () => (await platform.call('GET', `/api/agents/${saver.id}/treasury/balance`, { headers: saver.headers })).body.balance
  async function newSaver(): Promise<Player> {
    const agent = await platform.newPlayer({ prefix: 'saver' })
    saver = agent
    const { depositAddress } = await platform.post(`/api/agents/${agent.id}/treasury/fund`, {}, agent.headers)
    await platform.faucet(depositAddress, 30, chain)
    await until('the deposit is credited', async () => (await savings()) === 30_000_000)
    return agent
  }
  const settle = (jobId: string, body: object = {}) => actOnJob(platform, jobId, '/settle', body, platform.admin)
  const deliver = async ({ jobId, worker, poster }: CommerceJob, isAssigned = false) => {
    if (!isAssigned) {
      await actOnJob(platform, jobId, '/apply', { proposal: 'I read fast.' }, worker.headers)
      await actOnJob(platform, jobId, '/accept', { agentId: worker.id }, poster.headers)
    }
    await commerceJobIs(platform, jobId, 'assigned')
    await actOnJob(platform, jobId, '/submit', { deliverableUrl: 'https://example.org/summary' }, worker.headers)
    await commerceJobIs(platform, jobId, 'submitted')
  }

  it('holds the money of its jobs, and new jobs are opened on the new one under numbers that both have', async () => {
    const fresh = await fundedCommerceJob(platform, { budget: 50 })
    const { onChainJobId: number, contract } = await commerceJobOf(platform, fresh.jobId)
    const old = await Promise.all(Object.values(opened).map(({ jobId }) => commerceJobOf(platform, jobId)))

    assert.deepEqual([number, contract], ['1', present.commerce])
    assert.deepEqual(
      old.map(job => job.contract),
      old.map(() => former.commerce),
    )
    assert.deepEqual(await heldIn(), { former: micro(25 + 10 + 40 + 30), present: micro(50) })
    const read = (query: string) => platform.call('GET', `/api/erc8183/jobs/1?chain=${chain}${query}`)
    const unclear = await read('')
    assert.deepEqual([unclear.status, unclear.body.errors?.[0]?.path], [400, 'contract'])
    const named = await Promise.all([former, present].map(({ commerce }) => read(`&contract=${commerce}`)))
    assert.deepEqual(
      named.map(({ body }) => body.id),
      [direct.recordId, fresh.jobId],
    )
    await untilHealthy(platform, 60)

    await deliver(fresh)
    await settle(fresh.jobId)
    await assertJobPaid(platform, fresh)
    await holds({ former: micro(105), present: 0n })
  })

  it('is compared with the books by itself', async () => {
    const move = (place: Place) =>
      jobs().updateOne({ _id: opened.fromTreasury.jobId }, { $set: { contract: place.commerce, evaluator: place.jobEvaluator } })
    await move(present)
    const checks = await doctorChecks(platform, 'commerce')
    await move(former)

    assert.deepEqual(checks.find(({ name }) => name === 'contracts')?.detail, [
      `${chain}: the ledger holds ${micro(75)} for jobs, the contract ${former.commerce} ${micro(105)}`,
      `${chain}: the ledger holds ${micro(30)} for jobs, the contract 0`,
    ])
  })

  it('has what wallets do on either contract followed in the record of that contract', async () => {
    const { poster, worker } = parties
    const later = await onContract(present).delivered(poster.wallet, worker.wallet)
    const old = await onContract(former).delivered(poster.wallet, worker.wallet)
    const cancelled = await onContract(former).create(poster.wallet, worker.wallet.address, former.jobEvaluator)
    await onContract(former).as(poster.wallet).send('reject', cancelled, id('changed my mind'), '0x')
    const { contract } = await onContract(former).shown(cancelled, 'cancelled')

    assert.notEqual(later.recordId, alike.id)
    assert.equal((await onContract(former).shown(alike.number, 'open')).id, alike.id)
    assert.deepEqual([later.jobId, later.external, old.external, contract], [alike.number, false, false, former.commerce])
    assert.deepEqual(await heldIn(), { former: micro(105 + 25), present: micro(25) })
    for (const { recordId } of [direct, later, old]) await settle(recordId)
    for (const { recordId } of [direct, later, old]) await commerceJobIs(platform, recordId, 'settled')
    await holds({ former: micro(80), present: 0n })
  })

  it('pays and refunds its jobs until their end', async () => {
    const { early, unfunded, delivered, fromTreasury } = opened
    await settle(delivered.jobId)
    await assertJobPaid(platform, delivered)

    const headers = { 'x-wallet-address': unfunded.poster.wallet.address }
    await actOnJob(platform, unfunded.jobId, '/fund', {}, headers)
    await commerceJobIs(platform, unfunded.jobId, 'funded')
    await holds({ former: micro(10 + 20 + 30), present: 0n })
    await deliver(unfunded)
    await settle(unfunded.jobId)
    await assertJobPaid(platform, unfunded)

    await deliver(early)
    await settle(early.jobId, { outcome: 'reject', reason: 'empty file' })
    await assertJobRefunded(platform, early, 'rejected')

    await deliver(fromTreasury, true)
    await settle(fromTreasury.jobId, { outcome: 'reject' })
    await commerceJobIs(platform, fromTreasury.jobId, 'rejected')
    await until('the refund is credited', async () => (await savings()) === 30_000_000)
    await holds({ former: 0n, present: 0n })
  })

  it('is followed by one that custodial wallets pay, and are paid back by, under the ids of its own jobs', async () => {
    const made = await fundedCommerceJob(platform, { budget: 5, poster: saver })
    await platform.faucet(saver.wallet.address, 1, chain)
    const { create, as, shown } = onContract(present)
    const number = await create(saver.wallet, ZeroAddress, present.jobEvaluator)
    await as(saver.wallet).send('setBudget', number, micro(15), '0x')
    const { id: recordId } = await until('its budget is known', async () => {
      const job = await shown(number, 'open')
      return job.budgetUsdc === 15 && job
    })
    await actOnJob(platform, recordId, '/fund', {}, saver.headers)
    const { fundedFrom } = await shown(number, 'funded')

    assert.equal(fundedFrom.kind, 'treasury')
    await holds({ former: 0n, present: micro(20) })
    await until('the treasury has paid both', async () => (await savings()) === 10_000_000)
    await as(saver.wallet).send('reject', number, id('changed my mind'), '0x')
    await shown(number, 'cancelled')
    await deliver({ ...made, worker: parties.worker })
    await settle(made.jobId, { outcome: 'reject' })
    await commerceJobIs(platform, made.jobId, 'rejected')
    await until('both refunds are credited', async () => (await savings()) === 30_000_000)
    await holds({ former: 0n, present: 0n })
    await untilHealthy(platform, 60)
    await untilCleared(platform)
  })
})
