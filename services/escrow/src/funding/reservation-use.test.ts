import assert from 'node:assert/strict'
import { getReservationUse } from '@carapace/api'
import { newWallet, type TestAgent } from '@carapace/testing'
import { bondsIn } from '../testing/bonds.ts'
import { newAgent, until, usdc } from '../testing/harness.ts'
import { lockFunds, newGig, untilStatus } from '../testing/scenario.ts'
import { sharedHarness } from '../testing/shared-harness.ts'

describe('money that the treasury has reserved for the escrow', () => {
  const harness = sharedHarness()
  const { deposit } = bondsIn(harness)

  /** All its money is in its custodial wallet. */
  const custodial = (agent: TestAgent) => {
    const wallet = newWallet()
    harness.balances.delete(`BASE_SEPOLIA/${agent.wallet}`)
    harness.custodial.set(agent.id, wallet)
    harness.balances.set(`BASE_SEPOLIA/${wallet}`, usdc(100))
    return agent
  }
  const isOpen = async (key: string, round: number, agent?: TestAgent) =>
    (await harness.platform.service('escrow').platform.peers.call('escrow', getReservationUse, { body: { key, round, agentId: agent?.id ?? null } }))
      .isOpen

  it('is open for the round of a lock that is reserving, sent or held, and for no other', async () => {
    const scenario = await newGig(harness)
    custodial(scenario.poster)
    const rounds = () => Promise.all([1, 2, 3].map(round => isOpen(`escrow.lock:${scenario.gigId}`, round, scenario.poster)))
    assert.deepEqual(await rounds(), [false, false, false])

    harness.treasuryRefuses = 'DAILY_LIMIT_REACHED'
    assert.equal((await lockFunds(harness, scenario)).status, 402)
    assert.deepEqual(await rounds(), [false, false, false])
    harness.treasuryRefuses = 'DEPENDENCY_UNAVAILABLE'
    assert.equal((await lockFunds(harness, scenario, { prefer: 'respond-async' })).status, 202)
    assert.deepEqual(await rounds(), [false, true, false])
    harness.treasuryRefuses = undefined
    await harness.platform.advance(61)

    await untilStatus(harness, scenario.gigId, 'locked')
    assert.deepEqual(await rounds(), [false, true, false])
    // a lock by x402 has a command of its own, and its payment may name no agent
    assert.equal(await isOpen(`escrow.lock-x402:${scenario.gigId}`, 2), true)
    assert.equal(await isOpen(`escrow.lock-x402:${scenario.gigId}`, 1), false)
  })

  it('is open for a deposit until it is refused', async () => {
    const agent = custodial(await newAgent(harness))
    const ended = async (refusal: typeof harness.treasuryRefuses) => {
      harness.treasuryRefuses = 'DEPENDENCY_UNAVAILABLE'
      const { body } = await deposit(agent, 20, { prefer: 'respond-async' })
      const open = () => isOpen(`bond.deposit:${body.event.id}`, 1, agent)
      assert.equal(await open(), true)
      harness.treasuryRefuses = refusal
      await harness.platform.advance(61)
      const status = async () => (await harness.platform.call('GET', body.statusUrl, { headers: agent.headers })).body.onChain.status
      await until('it has ended', async () => (await status()) !== 'pending')
      return [await status(), await open()]
    }

    assert.deepEqual(await ended('DAILY_LIMIT_REACHED'), ['failed', false])
    assert.deepEqual(await ended(undefined), ['confirmed', true])
  })
})
