import assert from 'node:assert/strict'
import { agentStatusChanged } from '@carapace/api'
import { inProcessBus, quiet } from '@carapace/bus'
import type { TestAgent } from '@carapace/testing'
import { until } from '../testing/harness.ts'
import { escrowOf, eventOf, lockFunds, newGig, type Scenario, untilStatus } from '../testing/scenario.ts'
import { sharedHarness } from '../testing/shared-harness.ts'

/** An unproven agent gives way to the owner of its wallet; its marketplace closes its open gigs as withdrawn. */
describe('the escrow of an agent that has lost its wallet', () => {
  // what is retried is a dead letter soon
  const harness = sharedHarness({ bus: inProcessBus({ log: quiet, retry: { delaysMs: [1], limit: 2 } }) })
  const agents = () => harness.platform.service('escrow').platform.db.connection.collection<{ _id: string; wallet: string | null }>('agents')
  const loseWallet = async ({ id: agentId, handle, wallet }: TestAgent) => {
    await harness.platform.publish(
      agentStatusChanged.of({ agentId, handle, status: 'suspended', wallet: null, formerWallet: wallet, cause: 'wallet_reclaimed', reason: null }),
      2,
    )
    await until('it is known', async () => (await agents().findOne({ _id: agentId }))?.wallet === null)
  }
  const openGig = async (): Promise<Scenario> => {
    const scenario = await newGig(harness)
    await harness.platform.publish(eventOf.posted(scenario))
    return scenario
  }
  const withdraw = async (scenario: Scenario) => {
    await loseWallet(scenario.poster)
    await harness.platform.publish(eventOf.cancelled(scenario))
  }

  it('goes back to the payer when the gig is withdrawn', async () => {
    const scenario = await openGig()
    await lockFunds(harness, scenario)

    await withdraw(scenario)

    const { fundedFrom } = await untilStatus(harness, scenario.gigId, 'refunded')
    assert.deepEqual(fundedFrom, { kind: 'allowance', address: scenario.poster.wallet })
  })

  it('goes back also where its lock is confirmed after that', async () => {
    const scenario = await openGig()
    harness.chain = ({ kind }) => (kind === 'escrow.lock' ? 'wait' : 'confirm')
    await lockFunds(harness, scenario, { prefer: 'respond-async' })
    await withdraw(scenario)
    assert.equal((await escrowOf(harness, scenario.gigId)).status, 'funding')

    await harness.outcome(await until('it is sent', () => harness.commands.find(({ opKey }) => opKey === `escrow.lock:${scenario.gigId}`)), 'confirm')

    await untilStatus(harness, scenario.gigId, 'refunded')
  })

  it('is closed without money where there is none', async () => {
    const scenario = await openGig()

    await withdraw(scenario)

    const { status, body } = await until('it is closed', async () => {
      const answer = await harness.platform.call('GET', `/api/escrow/${scenario.gigId}`)
      return answer.status === 200 && answer
    })
    assert.deepEqual([status, body.status], [200, 'unfunded'])
  })

  it('waits for no wallet of an assignee that has lost it: its deadline ends the gig', async () => {
    const scenario = await openGig()
    await lockFunds(harness, scenario)
    await loseWallet(scenario.worker)

    await harness.platform.publish(eventOf.assigned(scenario))
    await harness.platform.publish(eventOf.cancelled(scenario, 'deadline_missed', 'assigned'))

    await untilStatus(harness, scenario.gigId, 'refunded')
    const waiting = () => harness.platform.bus.deadLetters()
    assert.deepEqual(
      (await waiting()).filter(({ subject }) => subject === scenario.gigId),
      [],
    )
  })
})
