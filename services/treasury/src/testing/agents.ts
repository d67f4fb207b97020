import { type Chain, treasuryApi } from '@carapace/api'
import { newcomer, type TestAgent, until } from '@carapace/testing'
import { deposit } from './token.ts'
import type { World } from './world.ts'

/** An agent that the treasury has heard of. */
export async function newAgent({ platform, agents }: World, preferredChain: Chain = 'BASE_SEPOLIA'): Promise<TestAgent> {
  const { agent, registered, row } = newcomer({ preferredChain })
  agents.set(agent.id, row)
  await platform.publish(registered)
  return agent
}

export type FundedAgent = TestAgent & { address: string }

/** An agent with a custodial wallet that `amount` (µ) has come into. */
export async function fundedAgent(world: World, amount: bigint, preferredChain: Chain = 'BASE_SEPOLIA'): Promise<FundedAgent> {
  const agent = await newAgent(world, preferredChain)
  const fund = await until('the agent is known', async () => {
    const answer = await call(world, agent, 'POST', 'fund')
    return answer.status === 201 && answer
  })
  const address: string = fund.body.depositAddress
  if (amount > 0n) {
    await deposit(world, address, amount, preferredChain)
    await until('the deposit is credited', async () => (await balance(world, agent)).balance === Number(amount))
  }
  return { ...agent, address }
}

export const call = (world: World, { id, headers }: TestAgent, method: string, what: string, body?: unknown, more: Record<string, string> = {}) =>
  world.platform.call(method, `/api/agents/${id}/treasury/${what}`, {
    headers: { ...headers, ...more },
    ...(body === undefined ? {} : { body }),
  })
export const balance = async (world: World, agent: TestAgent) => (await call(world, agent, 'GET', 'balance')).body
export const peers = ({ platform }: World) => platform.service('treasury').platform.peers
export const doctor = async (world: World) => (await peers(world).call('treasury', treasuryApi.internal.doctorReport)).checks
