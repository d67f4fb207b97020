import type { Chain } from '@carapace/api'
import { doctorChecks, newTestAgent, type TestAgent, until } from '@carapace/testing'
import type { Harness } from './harness.ts'
import { deposit } from './token.ts'

/** An agent that the treasury knows. */
export async function newAgent({ platform, agents }: Harness, preferredChain: Chain = 'BASE_SEPOLIA'): Promise<TestAgent> {
  const { agent, registered, row } = newTestAgent({ preferredChain })
  agents.set(agent.id, row)
  await platform.publish(registered)
  return agent
}

export type FundedAgent = TestAgent & { address: string }

/** An agent with a custodial wallet that `amount` (µ) has come into. */
export async function fundedAgent(harness: Harness, amount: bigint, preferredChain: Chain = 'BASE_SEPOLIA'): Promise<FundedAgent> {
  const agent = await newAgent(harness, preferredChain)
  const fund = await until('the agent is known', async () => {
    const answer = await call(harness, agent, 'POST', 'fund')
    return answer.status === 201 && answer
  })
  const address: string = fund.body.depositAddress
  if (amount > 0n) {
    await deposit(harness, address, amount, preferredChain)
    await until('the deposit is credited', async () => (await balance(harness, agent)).balance === Number(amount))
  }
  return { ...agent, address }
}

export const call = (harness: Harness, { id, headers }: TestAgent, method: string, what: string, body?: unknown, more: Record<string, string> = {}) =>
  harness.platform.call(method, `/api/agents/${id}/treasury/${what}`, {
    headers: { ...headers, ...more },
    ...(body === undefined ? {} : { body }),
  })
export const balance = async (harness: Harness, agent: TestAgent) => (await call(harness, agent, 'GET', 'balance')).body
export const peers = ({ platform }: Harness) => platform.service('treasury').platform.peers
export const doctor = ({ platform }: Harness) => doctorChecks(platform, 'treasury')
