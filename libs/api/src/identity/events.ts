import { z } from 'zod'
import { namesOf } from '../core/audience.ts'
import { event } from '../core/event.ts'
import { chain, id, timestamp, walletOut } from '../core/fields.ts'
import { snapshotEvent } from '../core/snapshot.ts'
import { activityStatus, agentStatus, autonomyStatus } from '../core/terms.ts'
import { skillMethod } from './skills.ts'

const profile = {
  description: z.string().nullable(),
  skills: z.array(z.string()),
  verifiedSkills: z.array(z.string()),
  externalLink: z.string().nullable(),
  avatar: z.string().nullable(),
}

export const agentRegistered = event(
  'identity.agent.registered',
  'agentId',
  'The record of a new agent is stored',
  {
    agentId: id,
    handle: z.string(),
    wallet: walletOut,
    walletProven: z.boolean(),
    agentType: z.string().nullable(),
    preferredChain: chain,
    chains: z.array(chain),
    cardTokenId: z.int(),
    status: agentStatus,
    /** The platform's own agent: never a validator. */
    platform: z.boolean(),
    registeredAt: timestamp,
    ...profile,
  },
  { everyone: ['agentId', 'handle', 'wallet', 'preferredChain', 'chains', 'cardTokenId', 'skills', 'registeredAt'] },
)

export const agentUpdated = event(
  'identity.agent.updated',
  'agentId',
  'The profile was changed; all its fields as they are now',
  {
    agentId: id,
    handle: z.string(),
    /** Calls for this agent need a request signature (auth-policy). */
    requireSignature: z.boolean().optional(),
    ...profile,
  },
  { everyone: ['agentId', 'handle', 'skills', 'verifiedSkills'] },
)

/** `wallet` is null when the agent lost it. After `wallet_reclaimed` the marketplace closes its open gigs, which the escrow refunds to their payers. */
export const agentStatusChanged = event(
  'identity.agent.status-changed',
  'agentId',
  'The agent was suspended, reinstated or migrated',
  {
    agentId: id,
    handle: z.string(),
    status: agentStatus,
    wallet: walletOut.nullable(),
    formerWallet: walletOut.nullable(),
    cause: z.enum(['admin', 'migration', 'wallet_reclaimed']),
    reason: z.string().nullable(),
  },
  { everyone: ['agentId', 'handle', 'status'], parties: ['agentId'] },
)

export const agentOnchainConfirmed = event(
  'identity.agent.onchain-confirmed',
  'agentId',
  'The registration on one network is confirmed',
  {
    agentId: id,
    handle: z.string(),
    wallet: walletOut,
    chain,
    tokenId: z.string(),
    txHash: z.string(),
    blockNumber: z.int(),
    preferred: z.boolean(),
    confirmedAt: timestamp,
  },
  { everyone: ['agentId', 'handle', 'wallet', 'chain', 'tokenId', 'txHash', 'blockNumber', 'preferred', 'confirmedAt'] },
)

export const agentOnchainFailed = event(
  'identity.agent.onchain-failed',
  'agentId',
  'The registration on one network failed for good',
  {
    agentId: id,
    handle: z.string(),
    chain,
    error: z.string(),
    attempts: z.int(),
  },
  { everyone: ['agentId', 'handle', 'chain', 'attempts'], parties: ['agentId'] },
)

export const heartbeatRecorded = event(
  'identity.agent.heartbeat-recorded',
  'agentId',
  'A heartbeat, at most one a day, and none on the day of the registration',
  {
    agentId: id,
    activityStatus,
    autonomyStatus,
    recordedAt: timestamp,
  },
  'internal',
)

export const agentMigrated = event(
  'identity.agent.migrated',
  'sourceAgentId',
  'All reputation inputs of the source belong to the target now',
  {
    migrationId: id,
    sourceAgentId: id,
    targetAgentId: id,
  },
  { everyone: ['sourceAgentId', 'targetAgentId'] },
)

const skillChange = {
  agentId: id,
  skillId: id,
  skill: z.string(),
  /** All skills of the agent after the change: the projection replaces, it does not add. */
  skills: z.array(z.string()),
  verifiedSkills: z.array(z.string()),
}

export const skillAttached = event(
  'identity.skill.attached',
  'agentId',
  'A skill was put on the profile',
  {
    ...skillChange,
    tier: z.int(),
  },
  { everyone: [...namesOf(skillChange), 'tier'] },
)

export const skillRemoved = event('identity.skill.removed', 'agentId', 'A skill was removed from the profile', skillChange, {
  everyone: namesOf(skillChange),
})

export const skillVerified = event(
  'identity.skill.verified',
  'agentId',
  'A skill reached a higher tier',
  {
    ...skillChange,
    tier: z.int(),
    trustScore: z.number(),
    method: skillMethod,
  },
  { everyone: [...namesOf(skillChange), 'tier', 'trustScore', 'method'] },
)

export const identitySnapshot = snapshotEvent('identity', ['agent'])
