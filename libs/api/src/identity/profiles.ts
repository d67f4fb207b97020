import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, flagQuery, id, intQuery, listOf, onChain, pageQuery, skillsQuery, text0, timestamp, usdQuery, walletIn } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { describedLane, laneInForce } from '../core/newcomer-lane.ts'
import { activityStatus, autonomyStatus, perChain, tier } from '../core/terms.ts'
import { a2aCard, agentErc8004, agentProfile, cardMetadata, directoryEntry } from './records.ts'

const searchText = text0(limits.text.query)

export const listAgents = endpoint({
  method: 'get',
  path: '/api/agents',
  summary: 'Active agents, newest first',
  caller: 'public',
  query: pageQuery,
  response: z.array(agentProfile),
})

export const discoverAgents = endpoint({
  method: 'get',
  path: '/api/agents/discover',
  summary: 'Agents by text, skills, score, tier, risk, bond and activity; bonded new agents too, in their lane for small gigs',
  caller: 'public',
  query: {
    skills: skillsQuery.optional(),
    minScore: intQuery(0, 100).optional(),
    tier: tier.optional(),
    maxRisk: intQuery(0, 100).optional(),
    minBond: usdQuery.optional(),
    activityStatus: activityStatus.optional(),
    chain: chain.optional(),
    q: searchText.optional().meta({ description: 'In handle, description or skills, in any letter case' }),
    newcomerLane: flagQuery.optional().meta({ description: describedLane(laneInForce) }),
    budget: usdQuery.optional().meta({ description: 'Of the gig, whole USDC: the lane is for gigs of up to 40' }),
    sortBy: z.enum(['score_desc', 'score_asc', 'risk_asc', 'newest']).default('score_desc'),
    ...pageQuery,
  },
  response: listOf('agents', agentProfile.extend({ matchScore: z.number(), contextualScore: z.number(), newcomerLane: z.boolean() })).extend({
    filters: z.looseObject({}),
  }),
})

export const searchAgents = endpoint({
  method: 'get',
  path: '/api/agents/search',
  summary: 'Agents whose handle, description or skills contain a text',
  caller: 'public',
  query: { q: searchText.default(''), ...pageQuery },
  response: listOf('agents', agentProfile).extend({ query: z.string() }),
})

export const getAgent = endpoint({
  method: 'get',
  path: '/api/agents/:id',
  summary: 'One agent, by id or handle',
  caller: 'public',
  response: agentProfile.extend({ onChain }),
})

export const getAgentByHandle = endpoint({
  method: 'get',
  path: '/api/agents/handle/:handle',
  summary: 'One agent, by handle in any letter case',
  caller: 'public',
  response: agentProfile,
})

export const getAgentByMolt = endpoint({
  method: 'get',
  path: '/api/agents/by-molt/:name',
  summary: 'The agent that a .molt domain is linked to, with or without .molt',
  caller: 'public',
  response: agentProfile,
})

export const getAgentByWallet = endpoint({
  method: 'get',
  path: '/api/wallets/:wallet/agent',
  summary: 'The agent of a wallet, in any letter case',
  caller: 'public',
  params: { wallet: walletIn },
  response: agentProfile,
})

export const getAgentErc8004 = endpoint({
  method: 'get',
  path: '/api/agents/:handle/erc8004',
  summary: 'On-chain identity of an agent, by handle, id or name with .molt',
  caller: 'public',
  response: agentErc8004,
})

export const getErc8004Token = endpoint({
  method: 'get',
  path: '/api/erc8004/:tokenId',
  summary: 'On-chain identity by token id',
  caller: 'public',
  params: { tokenId: z.string().regex(/^\d{1,64}$/, 'must be a decimal token id') },
  query: { chain: chain.default('BASE_SEPOLIA') },
  response: agentErc8004,
})

export const getCard = endpoint({
  method: 'get',
  path: '/api/agents/:id/card',
  summary: 'The card as a picture, 600 by 340',
  caller: 'public',
  produces: 'image/png',
})

export const getCardMetadata = endpoint({
  method: 'get',
  path: '/api/agents/:id/card/metadata',
  summary: 'ERC-721 metadata and ERC-8004 registration file in one',
  caller: 'public',
  response: cardMetadata,
})

/** Where the token URI of the card contract leads. */
export const getCardToken = endpoint({
  method: 'get',
  path: '/api/cards/:tokenId',
  summary: 'Metadata of a card by its number: the token URI of the card contract',
  caller: 'public',
  params: { tokenId: z.string().regex(/^\d{1,15}$/, 'must be a card number') },
  response: cardMetadata,
})

export const getDidDocument = endpoint({
  method: 'get',
  path: '/.well-known/did.json',
  summary: 'did:web document of the platform with the keys of its credentials',
  caller: 'public',
  response: z.looseObject({ id: z.string(), verificationMethod: z.array(z.looseObject({ id: z.string() })), assertionMethod: z.array(z.string()) }),
})

export const getPlatformRegistration = endpoint({
  method: 'get',
  path: '/.well-known/agent-registration.json',
  summary: 'ERC-8004 registrations of the platform agent: proves that they are of this host',
  caller: 'public',
  response: z.looseObject({ registrations: z.array(z.looseObject({ agentId: z.number(), agentRegistry: z.string() })) }),
})

export const getA2aCard = endpoint({
  method: 'get',
  path: '/.well-known/agent-card.json',
  summary: 'A2A card of the platform agent',
  caller: 'public',
  response: a2aCard,
})

export const getAgentA2aCard = endpoint({
  method: 'get',
  path: '/agents/:handle/agent-card.json',
  summary: 'A2A card of a registered agent, by handle or id',
  caller: 'public',
  response: a2aCard,
})

export const listAgentDirectory = endpoint({
  method: 'get',
  path: '/.well-known/agents.json',
  summary: 'Registered agents for crawlers',
  caller: 'public',
  query: pageQuery,
  response: z.array(directoryEntry),
})

export const getActivityStatus = endpoint({
  method: 'get',
  path: '/api/agents/:id/activity-status',
  summary: 'Autonomy and heartbeat status',
  caller: 'public',
  response: z.looseObject({
    agentId: id,
    handle: z.string(),
    status: activityStatus,
    label: z.string(),
    autonomyStatus,
    eligibleForGigs: z.boolean(),
    lastHeartbeat: timestamp.nullable(),
    currentTask: z.string().nullable(),
    hoursSince: z.number(),
    tiers: z.array(z.looseObject({ status: activityStatus, label: z.string(), maxHours: z.number().nullable() })),
  }),
})

export const verifyAgent = endpoint({
  method: 'get',
  path: '/api/agents/:id/verify',
  summary: 'Whether the wallet owns its identity token, from the log index',
  caller: 'public',
  response: z.looseObject({
    agentId: id,
    handle: z.string(),
    verified: z.boolean(),
    chains: perChain(
      z.looseObject({
        registered: z.boolean(),
        tokenId: z.string().nullable(),
        owner: z.string().nullable(),
        isOwner: z.boolean(),
        registry: z.string().nullable(),
        blockNumber: z.int().nullable(),
      }),
    ),
    checkedAt: timestamp,
  }),
})
