import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { escrowLedger } from '../ledger.ts'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, newAgent, startHarness, until } from '../testing/harness.ts'
import { deliveredGig, eventOf, newGig, untilStatus } from '../testing/scenario.ts'
import { sourceStore } from './reward.store.ts'

describe('rewards that the swarm polls', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const chain: api.Chain = 'BASE_SEPOLIA'
  /** Half a USDC of one validator, as the swarm requests it. */
  async function earned(of: { validationId: string; gigId: string | null; jobId: string | null; posterId: string }) {
    const validator = await newAgent(harness)
    const { peers } = harness.platform.service('escrow').platform
    const body = { ...of, title: 'Audit', chain, rewards: [{ validatorId: validator.id, amount: '500000' }] }
    const request = async () => {
      const { isOver, rewards } = await peers.call('escrow', api.escrowApi.internal.fundRewards, { body })
      return { isOver, rewards }
    }
    const answer = (isOver: boolean, funded: string) => ({ isOver, rewards: [{ validatorId: validator.id, funded }] })
    return { validator, request, answer, untilOver: () => until('it is over', async () => (await request()).isOver) }
  }
  const ofGig = ({ validationId, gigId, poster }: { validationId: string; gigId: string; poster: { id: string } }) =>
    earned({ validationId, gigId, jobId: null, posterId: poster.id })
  async function ofJob() {
    const [poster, worker, jobId] = [await newAgent(harness), await newAgent(harness), randomUUID()]
    const facts = { jobId, onChainJobId: null, title: 'Audit', posterId: poster.id, assigneeId: worker.id, chain } as const
    return { jobId, facts, ...(await earned({ validationId: randomUUID(), gigId: null, jobId, posterId: poster.id })) }
  }

  it('are funded once although what accrued was lost, and answered as they are', async () => {
    const scenario = await deliveredGig(harness)
    const { validationId, gigId, amount: budget, poster, worker } = scenario
    const { validator, request, answer, untilOver } = await ofGig(scenario)

    assert.deepEqual(await request(), answer(false, '0'))
    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
    await untilStatus(harness, gigId, 'released')
    await untilOver()
    assert.deepEqual(await Promise.all([request(), request()]), [answer(true, '500000'), answer(true, '500000')])

    // what was late changes nothing
    const facts = { validationId, gigId, jobId: null, title: 'Audit', posterId: poster.id, chain } as const
    const late = { ...facts, assigneeId: worker.id, budget, round: 1, appealOf: null }
    await harness.platform.publish(api.rewardAccrued.of({ ...late, rewards: [{ validatorId: validator.id, amount: 500_000n }] }))
    assert.deepEqual(await request(), answer(true, '500000'))
    await assertHealthy(harness)
  })

  it('are funded although the end of their gig was lost', async () => {
    const scenario = await deliveredGig(harness)
    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
    const { db } = harness.platform.service('escrow').platform
    const sources = db.connection.collection<{ _id: string }>('reward_sources')
    await until('its fee is noted', () => sources.findOne({ _id: scenario.gigId }))
    await sources.deleteOne({ _id: scenario.gigId })
    const { request, answer } = await ofGig(scenario)

    assert.deepEqual(await request(), answer(true, '500000'))
    await assertHealthy(harness)
  })

  it('are funded although the end of their job was lost, once it has ended', async () => {
    const { jobId, facts, request, answer } = await ofJob()
    const row = { ...facts, applicantIds: [], budget: '40000000', requiredSkills: [], submissionId: null, settledAt: null, version: 1 }
    harness.jobs.set(jobId, { ...row, status: 'submitted', ended: null })
    assert.deepEqual(await request(), answer(false, '0'))

    const settled = { txHash: `0x${'ab'.repeat(32)}`, at: new Date().toISOString() }
    harness.jobs.set(jobId, { ...row, status: 'settled', ended: settled })

    assert.deepEqual(await request(), answer(true, '500000'))
    const [fee, net] = [1_200_000n, 38_800_000n]
    const decision = { by: 'swarm', validationId: null, weak: false, creditable: true, afterDispute: false } as const
    const scores = { requiredSkills: [], posterScore: 15, assigneeScore: 15 }
    await harness.platform.publish(
      api.jobSettled.of({ ...facts, ...settled, ...decision, ...scores, status: 'settled', budget: 40_000_000n, fee, net }),
    )
    const { db } = harness.platform.service('escrow').platform
    const booked = await db.connection.collection('ledger_entries').countDocuments({ 'ref.id': jobId })
    assert.equal(booked, 1)
    await assertHealthy(harness)
  })

  it('of a job whose payment the chain reverses and repeats leave the pool with its fee in the end', async () => {
    const { facts, jobId } = await ofJob()
    const [fee, net] = [1_200_000n, 38_800_000n]
    const settled = { txHash: `0x${'ab'.repeat(32)}`, at: new Date().toISOString() }
    const decision = { by: 'swarm', validationId: null, weak: false, creditable: true, afterDispute: false } as const
    const scores = { requiredSkills: [], posterScore: 15, assigneeScore: 15 }
    const ledger = escrowLedger(harness.platform.service('escrow').platform.db)
    const clearing = (balance: bigint) =>
      until(`the clearing account has ${balance}`, async () => (await ledger.balance('BASE_SEPOLIA', `clearing:job.settle:${jobId}`)) === balance)
    const correct = (status: 'submitted' | 'settled' | 'rejected', version: number) =>
      harness.platform.publish(
        api.jobCorrected.of({
          ...facts,
          ...settled,
          budget: 40_000_000n,
          status,
          unpaid: status !== 'settled',
          fee: status === 'settled' ? fee : 0n,
          net: 0n,
        }),
        version,
      )

    await harness.platform.publish(
      api.jobSettled.of({ ...facts, ...settled, ...decision, ...scores, status: 'settled', budget: 40_000_000n, fee, net }),
    )
    await clearing(-fee)
    for (const status of ['submitted', 'settled'] as const) {
      await correct(status, status === 'submitted' ? 2 : 3)
      await clearing(status === 'submitted' ? 0n : -fee)
    }

    // received late
    await correct('rejected', 1)

    const keys = (await ledger.entries({ 'ref.id': jobId })).map(({ key }) => key)
    assert.deepEqual(keys.sort(), [`job-fee:${jobId}`, `job-fee:${jobId}:2`, `job-fee:${jobId}:3`])
    const source = await sourceStore(harness.platform.service('escrow').platform.db).get(jobId)
    assert.deepEqual([source?.kind, source?.fee], ['fee', fee])
    await assertHealthy(harness)
  })

  it('of a job that its contract refunded are over', async () => {
    const { facts, request, answer, untilOver } = await ofJob()
    assert.deepEqual(await request(), answer(false, '0'))

    const ended = { txHash: null, at: new Date().toISOString(), reason: 'expired', refunded: true } as const
    await harness.platform.publish(api.jobCancelled.of({ ...facts, ...ended, status: 'cancelled', budget: 40_000_000n }))

    await untilOver()
    assert.deepEqual(await request(), answer(true, '0'))
  })

  it('of a gig that ended without money are over', async () => {
    const scenario = await newGig(harness)
    await harness.platform.publish(eventOf.posted(scenario))
    const { request, answer, untilOver } = await ofGig(scenario)
    assert.deepEqual(await request(), answer(false, '0'))

    await harness.platform.publish(eventOf.cancelled(scenario))

    await untilOver()
    assert.deepEqual(await request(), answer(true, '0'))
  })
})
