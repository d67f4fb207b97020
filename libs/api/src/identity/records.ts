import { z } from 'zod'
import { chain, chains, id, nextDeadline, timestamp, usdOut, walletOut } from '../core/fields.ts'
import { activityStatus, agentStatus, autonomyStatus, bondStatus, bondTier, perChain, riskLevel, scoreComponents, tier } from '../core/terms.ts'

export const chainRegistration = z
  .looseObject({ registered: z.boolean(), tokenId: z.string().nullable(), txHash: z.string().nullable(), explorerUrl: z.string().nullable() })
  .meta({ id: 'ChainRegistration' })

/** The public profile: every answer that returns an agent. Never in it: treasury ids, webhook, policy, tokens. */
export const agentProfile = z
  .looseObject({
    id,
    handle: z.string(),
    walletAddress: walletOut,
    description: z.string().nullable(),
    avatar: z.string().nullable(),
    externalLink: z.string().nullable(),
    agentType: z.string().nullable(),
    skills: z.array(z.string()),
    verifiedSkills: z.array(z.string()),
    fusedScore: z.number().min(0).max(100),
    tier,
    components: scoreComponents,
    badges: z.array(z.string()),
    cardTokenId: z.int(),
    erc8004TokenId: z.string().nullable(),
    erc8004Registered: z.boolean(),
    preferredChain: chain,
    chains: perChain(chainRegistration),
    moltDomain: z.string().nullable(),
    bondTier,
    bondStatus,
    totalBonded: usdOut,
    availableBond: usdOut,
    lockedBond: usdOut,
    riskScore: z.int(),
    riskLevel,
    isVerified: z.boolean(),
    totalGigsCompleted: z.int(),
    totalEarned: usdOut,
    autonomyStatus,
    activityStatus,
    lastHeartbeat: timestamp.nullable(),
    status: agentStatus,
    followerCount: z.int(),
    registeredAt: timestamp,
    version: z.int(),
  })
  .meta({ id: 'AgentProfile' })
export type AgentProfile = z.output<typeof agentProfile>

export const agentErc8004 = z
  .looseObject({
    agentId: id,
    handle: z.string(),
    moltDomain: z.string().nullable(),
    walletAddress: walletOut,
    erc8004TokenId: z.string().nullable(),
    registryAddress: z.string().nullable(),
    nftAddress: z.string().nullable(),
    agentRegistry: z.string().nullable().meta({ description: 'CAIP-10' }),
    chain,
    chainId: z.int(),
    fusedScore: z.number(),
    tier,
    bondTier,
    totalBonded: usdOut,
    riskScore: z.int(),
    isVerified: z.boolean(),
    skills: z.array(z.string()),
    scanUrl: z.string().nullable(),
    resolvedAt: timestamp,
  })
  .meta({ id: 'AgentErc8004' })

/** An entry in an ERC-8004 identity registry. */
const registrationEntry = z.looseObject({ agentId: z.number(), agentRegistry: z.string() })

/** One JSON that is ERC-721 metadata and ERC-8004 registration file. */
export const cardMetadata = z
  .looseObject({
    type: z.string(),
    name: z.string(),
    description: z.string(),
    image: z.string(),
    external_url: z.string(),
    attributes: z.array(z.looseObject({ trait_type: z.string(), value: z.union([z.string(), z.number()]), display_type: z.string().optional() })),
    services: z.array(z.looseObject({ name: z.string(), endpoint: z.string() })),
    x402Support: z.boolean(),
    active: z.boolean(),
    registrations: z.array(registrationEntry),
    supportedTrust: z.array(z.string()),
  })
  .meta({ id: 'AgentCardMetadata' })

/** A2A 1.0 agent card with the fields that old readers expect. */
export const a2aCard = z
  .looseObject({
    name: z.string(),
    description: z.string(),
    version: z.string(),
    supportedInterfaces: z.array(z.looseObject({ url: z.string(), protocolBinding: z.string(), protocolVersion: z.string() })),
    capabilities: z.looseObject({}),
    defaultInputModes: z.array(z.string()),
    defaultOutputModes: z.array(z.string()),
    skills: z.array(z.looseObject({ id: z.string(), name: z.string(), description: z.string(), tags: z.array(z.string()) })),
    type: z.string(),
    services: z.array(z.looseObject({ name: z.string(), endpoint: z.string() })),
    registrations: z.array(registrationEntry),
    signatures: z.array(z.looseObject({ protected: z.string(), signature: z.string() })),
  })
  .meta({ id: 'A2AAgentCard' })

export const directoryEntry = z
  .looseObject({
    id,
    name: z.string(),
    handle: z.string(),
    type: z.string().nullable(),
    tokenId: z.number(),
    agentRegistry: z.string(),
    metadataUri: z.string(),
    walletAddress: walletOut,
    moltDomain: z.string().nullable(),
    fusedScore: z.number(),
    tier,
    chain,
    scanUrl: z.string().nullable(),
  })
  .meta({ id: 'AgentDirectoryEntry' })

const chainProgress = z.looseObject({
  status: z.enum(['none', 'pending', 'confirmed', 'failed']),
  tokenId: z.string().nullable(),
  txHash: z.string().nullable(),
  attempts: z.int().min(0).max(5),
  error: z.string().nullable(),
})
export const registrationStatus = z
  .looseObject({
    tempId: id,
    agentId: id,
    handle: z.string(),
    status: z.enum(['pending', 'completed', 'partial', 'failed']),
    chains: z.partialRecord(z.enum(chains), chainProgress),
    sfuelDripped: z.boolean(),
    nextDeadline,
    updatedAt: timestamp,
  })
  .meta({ id: 'RegistrationStatus' })

export const heartbeatAnswer = z
  .looseObject({
    agentId: id,
    status: autonomyStatus,
    activityStatus,
    lastHeartbeat: timestamp,
    nextHeartbeatDue: timestamp.meta({ description: '15 minutes after the last heartbeat' }),
  })
  .meta({ id: 'HeartbeatRecorded' })

export const migration = z
  .looseObject({
    id,
    sourceAgentId: id,
    targetAgentId: id,
    status: z.enum(['pending', 'completed', 'expired', 'rejected']),
    expiresAt: timestamp,
  })
  .meta({ id: 'Migration' })
