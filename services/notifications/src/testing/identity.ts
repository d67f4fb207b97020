import { type AgentRow, identityApi, refuse } from '@carapace/api'
import { neighbour } from '@carapace/testing'

export const stranger = '0190a5d0-0000-7000-8000-00000000dead'
export const named = { id: '0190a5d0-0000-7000-8000-00000000beef', handle: 'has-a-name' }

const nobody = () => refuse('NOT_FOUND', { resource: 'agent' })

/** Stands in for identity: knows every id but the stranger's, and one handle. */
export const identityStandIn = neighbour(identityApi, {
  getAgentRow: ({ params }) => (params.id === stranger ? nobody() : rowOf(params.id)),
  getAgentRowByHandle: ({ params }) => (params.handle === named.handle ? rowOf(named.id) : nobody()),
})

function rowOf(agentId: string): AgentRow {
  const at = new Date().toISOString()
  const unregistered = { requested: false, registered: false, tokenId: null, confirmedAt: null }
  return {
    ...{ agentId, handle: `a-${agentId.slice(0, 8)}`, wallet: `0x${'1a'.repeat(20)}`, walletProven: false, agentType: null },
    ...{ skills: [], verifiedSkills: [], preferredChain: 'BASE_SEPOLIA', chains: { BASE_SEPOLIA: unregistered, SKALE_TESTNET: unregistered } },
    ...{ cardTokenId: 1, status: 'active', platform: false, requireSignature: false, lastSeenAt: at, registeredAt: at, version: 1 },
  }
}
