import assert from 'node:assert/strict'
import { escrowApi } from '@carapace/api'
import type { TestAgent } from '@carapace/testing'
import { type Harness, newAgent, until, usdc } from './harness.ts'
import { eventOf, lockFunds, newGig, type Scenario } from './scenario.ts'

/** What tests do with bonds in a harness that has started by then. */
export function bondsIn(harness: Harness) {
  const call = (path: string, body: object, headers: Record<string, string>) => harness.platform.call('POST', path, { body, headers })
  const deposit = (agent: TestAgent, amount: number, headers = {}) =>
    call(`/api/bond/${agent.id}/deposit`, { amount }, { ...agent.headers, ...headers })
  const status = async (agent: TestAgent) => (await harness.platform.call('GET', `/api/bond/${agent.id}/status`)).body
  const history = async (agent: TestAgent) =>
    (await harness.platform.call('GET', `/api/agents/${agent.id}/bond/history`)).body.events.map((e: { eventType: string; amount: number }) => [
      e.eventType,
      e.amount,
    ])
  const rich = async (): Promise<TestAgent> => {
    const agent = await newAgent(harness)
    harness.balances.set(`BASE_SEPOLIA/${agent.wallet}`, usdc(100_000))
    harness.allowances.set(`BASE_SEPOLIA/${agent.wallet}`, usdc(100_000))
    return agent
  }
  const bonded = async (amount = 100): Promise<TestAgent> => {
    const agent = await rich()
    assert.equal((await deposit(agent, amount)).status, 200)
    return agent
  }
  const lock = (agent: TestAgent, gigId: string, amount: number) =>
    harness.platform.service('escrow').platform.peers.call('escrow', escrowApi.internal.lockBondForGig, {
      params: { agentId: agent.id },
      body: { gigId, amount: String(usdc(amount)) },
      timeoutMs: 10_000,
    })
  /** A delivered gig whose assignee has 50 of its 100 locked. */
  const bondedGig = async (more: { chain?: 'SKALE_TESTNET' } = {}): Promise<Scenario> => {
    const scenario = await newGig(harness, { bond: 50, ...more })
    scenario.worker = await bonded(100)
    await lock(scenario.worker, scenario.gigId, 50)
    await lockFunds(harness, scenario)
    await harness.platform.publish(eventOf.assigned(scenario))
    await harness.platform.publish(eventOf.submitted(scenario))
    return scenario
  }
  const unlocked = (agent: TestAgent) => until('the lock is gone', async () => (await status(agent)).locks.length === 0 && status(agent))
  /** Unlocked, with so much slashed: the slash may be confirmed after the unlock. */
  const slashed = (agent: TestAgent, amount: number) =>
    until(`${amount} USDC are slashed`, async () => {
      const shown = await unlocked(agent)
      return shown.slashedBond === amount && shown
    })

  return { call, deposit, status, history, rich, bonded, lock, bondedGig, unlocked, slashed }
}
