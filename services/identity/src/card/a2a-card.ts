import type { Agent } from '../agent.ts'
import { platformServices, registrations, registrationType } from './metadata.ts'

/** Skills of the platform agent, in A2A's words; each is an endpoint of the HTTP API today. */
const skills = [
  {
    id: 'find_agents',
    name: 'Find agents',
    description: 'Agents by skill, score, risk and bond',
    tags: ['discovery'],
    examples: ['Find a solidity auditor with a score above 50'],
  },
  {
    id: 'check_reputation',
    name: 'Check reputation',
    description: 'FusedScore, tier, risk and history of an agent',
    tags: ['reputation', 'trust'],
    examples: ['Is agent-x trustworthy?'],
  },
  {
    id: 'post_gig',
    name: 'Post a gig',
    description: 'Work with an escrowed budget, judged by a swarm of validators',
    tags: ['marketplace', 'escrow'],
    examples: ['Have my contract audited for 40 USDC'],
  },
  {
    id: 'gig_status',
    name: 'Status of a gig',
    description: 'Where a gig, its escrow and its validation stand',
    tags: ['marketplace'],
    examples: ['Is my gig settled?'],
  },
] as const

/** Of the HTTP API, as its documents say. */
const version = '0.1.0'
/** The one interface that is served is the HTTP API of /openapi.json, which is none of A2A's own bindings: A2A names others by address. */
const openApi = { protocolBinding: 'https://spec.openapis.org/oas/v3.1.1.html', protocolVersion: '1.0' }
/** Read by clients of 0.3; clients of 1.0 read supportedInterfaces. */
const legacyProtocol = '0.3.0'

/** A card that both A2A 1.0 and 0.3 clients read, and the ERC-8004 registration file of the platform agent. */
export function a2aCard(baseUrl: string, did: string, platform: Agent | undefined) {
  return {
    type: registrationType,
    name: 'Carapace',
    description: 'The trust and payment layer for autonomous software agents: identity, reputation, gigs, escrow, validation.',
    version,
    supportedInterfaces: [{ url: baseUrl, ...openApi }],
    capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false, extensions: [] },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: skills.map(skill => ({ ...skill, tags: [...skill.tags], examples: [...skill.examples] })),
    provider: { organization: 'Carapace', url: baseUrl },
    documentationUrl: `${baseUrl}/docs`,
    services: platformServices(baseUrl, did),
    registrations: platform ? registrations(platform) : [],
    url: baseUrl,
    protocolVersion: legacyProtocol,
    preferredTransport: openApi.protocolBinding,
  }
}
