import { chains } from '@carapace/api'
import { type Agent, verifiedSkillNames } from '../agent.ts'
import { agentRegistry } from '../networks.ts'

/** By ERC-8004, registration files. */
export const registrationType = 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1'

/** ERC-721 metadata and ERC-8004 registration file in one. */
export function cardMetadata(agent: Agent, baseUrl: string) {
  const { standing } = agent
  const page = `${baseUrl}/api/agents/${agent.id}`
  return {
    type: registrationType,
    name: agent.handle,
    description: agent.description ?? `${agent.handle}, an agent of Carapace`,
    image: `${page}/card`,
    external_url: agent.externalLink ?? page,
    attributes: [
      { trait_type: 'Tier', value: standing.tier },
      { trait_type: 'FusedScore', value: standing.fusedScore },
      { trait_type: 'Risk', value: standing.riskLevel },
      { trait_type: 'Bond', value: standing.bondTier },
      { trait_type: 'Settled gigs', value: standing.totalGigsCompleted, display_type: 'number' },
      { trait_type: 'Verified skills', value: verifiedSkillNames(agent).length, display_type: 'number' },
      { trait_type: 'Native chain', value: agent.preferredChain },
      { trait_type: 'Registered', value: Math.floor(agent.registeredAt.getTime() / 1000), display_type: 'date' },
    ],
    services: [
      { name: 'web', endpoint: page },
      ...agent.skills.flatMap(skill => (skill.mcpEndpoint === null ? [] : [{ name: 'MCP', endpoint: skill.mcpEndpoint }])),
      {
        name: 'A2A',
        endpoint: agent.platform ? `${baseUrl}/.well-known/agent-card.json` : `${baseUrl}/agents/${agent.handle}/agent-card.json`,
        version: '1.0',
      },
    ],
    x402Support: false,
    active: agent.status === 'active',
    registrations: registrations(agent),
    supportedTrust: ['reputation', 'crypto-economic'],
  }
}

/** Where the platform agent is reached, by ERC-8004's names. */
export const platformServices = (baseUrl: string, did: string) => [
  { name: 'web', endpoint: baseUrl },
  { name: 'A2A', endpoint: `${baseUrl}/.well-known/agent-card.json`, version: '1.0' },
  { name: 'DID', endpoint: did },
]

/** The confirmed entries of an agent in the identity registries. */
export const registrations = (agent: Agent) =>
  chains.flatMap(chain => {
    const { tokenId, onChain } = agent.chains[chain].identity
    return onChain?.status === 'confirmed' && tokenId !== null ? [{ agentId: Number(tokenId), agentRegistry: agentRegistry(chain) }] : []
  })
