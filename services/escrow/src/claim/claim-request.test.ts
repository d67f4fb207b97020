import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, newAgent, startHarness, until } from '../testing/harness.ts'
import { deliveredGig, eventOf, untilStatus } from '../testing/scenario.ts'

describe('a claim of rewards that its validator polls', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness({ pollAfterMs: 100 })
  })
  after(() => harness.close())

  it('is paid once although its request was lost, in its next round after a failure, and answers how it ended', async () => {
    const scenario = await deliveredGig(harness)
    const validator = await newAgent(harness)
    const { validationId, chain, gigId, amount: budget, poster, worker } = scenario
    const about = {
      validationId,
      gigId,
      jobId: null,
      title: 'Audit',
      posterId: poster.id,
      assigneeId: worker.id,
      budget,
      chain,
      round: 1,
      appealOf: null,
    }
    await harness.platform.publish(api.rewardAccrued.of({ ...about, rewards: [{ validatorId: validator.id, amount: 500_000n }] }))
    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
    await untilStatus(harness, gigId, 'released')
    const { db, peers } = harness.platform.service('escrow').platform
    const rows = db.connection.collection<{ _id: string; isFunded: boolean }>('rewards')
    await until('it is funded', async () => (await rows.findOne({ _id: validationId }))?.isFunded)
    const claimId = randomUUID()
    const rewards = [{ validationId, amount: '500000' }]
    const facts = { claimId, validatorId: validator.id, wallet: validator.wallet, chain, amount: '500000', rewards }
    const request = (round: number) => peers.call('escrow', api.escrowApi.internal.payRewardClaim, { body: { ...facts, round } })
    const sent = () => harness.commands.filter(({ opKey }) => opKey.endsWith(claimId)).map(({ round }) => round)
    const ended = (round: number) =>
      until(`round ${round} has ended`, async () => ((await request(round)).status === 'claiming' ? undefined : request(round)))

    harness.chain = () => 'fail'
    await request(1)
    const failed = await ended(1)
    harness.chain = () => 'confirm'
    await Promise.all([request(2), request(2)])
    const paid = await ended(2)

    assert.deepEqual([failed.status, failed.round], ['failed', 1])
    assert.deepEqual([paid.status, paid.round, paid.rewards], ['claimed', 2, rewards])
    assert.ok(paid.txHash !== null && paid.version > failed.version)
    assert.deepEqual(sent(), [1, 2])
    await assertHealthy(harness)

    const { answer } = harness.memory
    const isFinal = async (decided: { ended?: boolean; news?: boolean }) => {
      harness.memory.answer = operations => ({ outcomes: answer(operations).outcomes.map(outcome => ({ ...outcome, ...decided })) })
      return (await request(2)).isFinal
    }
    assert.equal(await isFinal({}), true)
    assert.equal(await isFinal({ ended: false }), false)
    // the claim has yet to follow what was decided
    assert.equal(await isFinal({ news: true }), false)
    harness.memory.answer = () => api.refuse('CHAIN_UNAVAILABLE')
    assert.equal((await request(2)).isFinal, false)
    harness.memory.answer = answer
  })
})
