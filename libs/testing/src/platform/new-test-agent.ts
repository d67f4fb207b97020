import { randomUUID } from 'node:crypto'
import { type AgentRow, agentRegistered, type Chain, type Draft } from '@carapace/api'
import { perChain } from '@carapace/chain'
import { newWallet } from './relayer.ts'

export interface TestAgent {
  id: string
  handle: string
  wallet: string
  /** Of its requests in plain mode. */
  headers: Record<string, string>
}

const unregistered = { requested: true, registered: false, tokenId: null, confirmedAt: null }

/**
 * A new agent: the event that identity publishes about it, and the row that it answers.
 * @example const { agent, registered } = newTestAgent(); await platform.publish(registered)
 */
export function newTestAgent({ preferredChain = 'BASE_SEPOLIA' as Chain, registeredAt = new Date(), skills = [] as string[] } = {}): {
  agent: TestAgent
  registered: Draft
  row: AgentRow
} {
  const id = randomUUID()
  const wallet = newWallet()
  const handle = `a-${id.slice(0, 8)}`
  const at = registeredAt.toISOString()
  const identity = { agentId: id, handle, wallet, walletProven: true, agentType: null, status: 'active', platform: false, cardTokenId: 1 } as const
  const what = { skills, verifiedSkills: [], preferredChain, registeredAt: at }
  return {
    agent: { id, handle, wallet, headers: { 'x-agent-id': id, 'x-wallet-address': wallet } },
    registered: agentRegistered.of({ ...identity, ...what, chains: [preferredChain], description: '', avatar: null, externalLink: null }),
    row: { ...identity, ...what, chains: perChain(() => unregistered), requireSignature: false, lastSeenAt: at, version: 1 },
  }
}
