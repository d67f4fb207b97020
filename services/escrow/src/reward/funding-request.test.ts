import assert from 'node:assert/strict'
import * as api from '@carapace/api'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, newAgent, startHarness, until } from '../testing/harness.ts'
import { deliveredGig, eventOf, untilStatus } from '../testing/scenario.ts'

describe('rewards that the swarm polls', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  it('are funded once although what accrued was lost, and answered as they are', async () => {
    const scenario = await deliveredGig(harness)
    const validator = await newAgent(harness)
    const { validationId, chain, gigId, amount: budget, poster, worker } = scenario
    const facts = { validationId, gigId, jobId: null, title: 'Audit', posterId: poster.id, chain }
    const { peers } = harness.platform.service('escrow').platform
    const body = { ...facts, rewards: [{ validatorId: validator.id, amount: '500000' }] }
    const request = async () => {
      const { isFunded, rewards } = await peers.call('escrow', api.escrowApi.internal.fundRewards, { body })
      return { isFunded, rewards }
    }
    const answered = (funded: string) => ({ isFunded: funded !== '0', rewards: [{ validatorId: validator.id, funded }] })

    assert.deepEqual(await request(), answered('0'))
    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
    await untilStatus(harness, gigId, 'released')
    await until('it is funded', async () => (await request()).isFunded)
    assert.deepEqual(await Promise.all([request(), request()]), [answered('500000'), answered('500000')])

    // what was late changes nothing
    const late = { ...facts, assigneeId: worker.id, budget, round: 1, appealOf: null }
    await harness.platform.publish(api.rewardAccrued.of({ ...late, rewards: [{ validatorId: validator.id, amount: 500_000n }] }))
    assert.deepEqual(await request(), answered('500000'))
    await assertHealthy(harness)
  })
})
