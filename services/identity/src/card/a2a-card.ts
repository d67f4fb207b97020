import { AgentCard, AgentCardSignature, generateAgentCardSignature } from '@a2a-js/sdk'
import { a2aCapabilities, a2aInterface, a2aSkills, apiVersion } from '@carapace/api'
import type { Agent } from '../agent.ts'
import type { Issuer } from '../credential/issuer.ts'
import { type AuthMode, securityOf } from './a2a-security.ts'
import { platformServices, registrations, registrationType } from './metadata.ts'

/** The HTTP API of /openapi.json is none of A2A's own bindings: A2A names others by address. */
const openApi = { protocolBinding: 'https://spec.openapis.org/oas/v3.1.1.html', protocolVersion: '1.0' }
/** Read by clients of 0.3, which /a2a does not speak; clients of 1.0 read supportedInterfaces. */
const legacyProtocol = '0.3.0'

const interfaceAt = (baseUrl: string) => {
  const { path, ...binding } = a2aInterface
  return { url: `${baseUrl}${path}`, ...binding }
}

/** What all cards of this host have in common. */
const common = (baseUrl: string, mode: AuthMode) => ({
  type: registrationType,
  version: apiVersion,
  capabilities: { ...a2aCapabilities, extensions: securityOf(mode).extensions },
  securitySchemes: securityOf(mode).securitySchemes,
  defaultInputModes: ['application/json', 'text/plain'],
  defaultOutputModes: ['application/json'],
  provider: { organization: 'Carapace', url: baseUrl },
  documentationUrl: `${baseUrl}/docs`,
})

const ownSkills = (mode: AuthMode) =>
  a2aSkills.map(({ tags, examples, ...skill }) => ({
    ...skill,
    tags: [...tags],
    examples: [...examples],
    ...(skill.id === 'post_gig' ? { securityRequirements: securityOf(mode).securityRequirements } : {}),
  }))

/** A card that both A2A 1.0 and 0.3 clients read, and the ERC-8004 registration file of the platform agent. */
export const platformCard = (baseUrl: string, mode: AuthMode, did: string, platform: Agent | undefined) => ({
  ...common(baseUrl, mode),
  name: 'Carapace',
  description: 'The trust and payment layer for autonomous software agents: identity, reputation, gigs, escrow, validation.',
  supportedInterfaces: [interfaceAt(baseUrl), { url: baseUrl, ...openApi }],
  skills: ownSkills(mode),
  services: platformServices(baseUrl, did),
  registrations: platform ? registrations(platform) : [],
  url: baseUrl,
  protocolVersion: legacyProtocol,
  preferredTransport: openApi.protocolBinding,
})

const agentsOwn = ({ name, description }: Agent['skills'][number]) => ({ id: name, name, description: description ?? name, tags: [name] })
const platformIds: ReadonlySet<string> = new Set(a2aSkills.map(({ id }) => id))

/**
 * The card of a registered agent: who works with it writes to it at /a2a, as its tenant. An id names one skill: what the platform carries out for a
 * message has its own, and a skill of the agent that is called alike has an id with a prefix.
 */
export const agentCard = (agent: Agent, baseUrl: string, mode: AuthMode) => ({
  ...common(baseUrl, mode),
  name: agent.handle,
  description: agent.description ?? `${agent.handle}, an agent of Carapace`,
  supportedInterfaces: [{ ...interfaceAt(baseUrl), tenant: agent.handle }],
  skills: [
    ...ownSkills(mode).filter(({ id }) => id === 'post_gig' || id === 'check_reputation'),
    ...agent.skills.map(agentsOwn).map(skill => (platformIds.has(skill.id) ? { ...skill, id: `skill:${skill.id}` } : skill)),
  ],
  services: [{ name: 'web', endpoint: `${baseUrl}/agents/${agent.handle}` }],
  registrations: registrations(agent),
})

/** A card with the issuer's signature over what A2A knows of it (JWS over RFC 8785); the key is in did.json. */
export async function signedCard<Card extends object>(card: Card, { secretJwk, jwkId }: Pick<Issuer, 'secretJwk' | 'jwkId'>) {
  const sign = generateAgentCardSignature(secretJwk, { alg: 'ES256', kid: jwkId, typ: 'JOSE' })
  const { signatures } = await sign(AgentCard.fromJSON(card))
  return { ...card, signatures: signatures.map(signature => AgentCardSignature.toJSON(signature) as { protected: string; signature: string }) }
}
