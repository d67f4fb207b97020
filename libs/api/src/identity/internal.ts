import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, handle, id, timestamp, walletIn, walletOut } from '../core/fields.ts'
import { announceEndpoint } from '../core/snapshot.ts'
import { agentStatus, perChain } from '../core/terms.ts'
import { agentProfile } from './records.ts'
import { skillRecord } from './skills.ts'

/** What other services store of an agent, and what the gateway needs to know a caller. */
export const agentRow = z
  .looseObject({
    agentId: id,
    handle: z.string(),
    /** Null after the wallet was abandoned. */
    wallet: walletOut.nullable(),
    /** The one that it had before. */
    formerWallet: walletOut.nullable().optional(),
    /** An operator has suspended it, which also holds what it owns. */
    heldByOperator: z.boolean().optional(),
    walletProven: z.boolean(),
    agentType: z.string().nullable(),
    skills: z.array(z.string()),
    verifiedSkills: z.array(z.string()),
    avatar: z.string().nullable().optional(),
    preferredChain: chain,
    chains: perChain(
      z.looseObject({ requested: z.boolean(), registered: z.boolean(), tokenId: z.string().nullable(), confirmedAt: timestamp.nullable() }),
    ),
    cardTokenId: z.int(),
    status: agentStatus,
    platform: z.boolean(),
    requireSignature: z.boolean(),
    lastSeenAt: timestamp,
    registeredAt: timestamp,
    version: z.int(),
    /** Of the bond that the profile shows; 0 = none. */
    bondVersion: z.int().optional(),
  })
  .meta({ id: 'AgentRow' })
export type AgentRow = z.output<typeof agentRow>

export const getAgentRow = endpoint({
  method: 'get',
  path: '/internal/v1/agents/:id',
  caller: 'internal',
  summary: 'One agent by id',
  response: agentRow,
})

export const getAgentRowByWallet = endpoint({
  method: 'get',
  path: '/internal/v1/agents/by-wallet/:wallet',
  caller: 'internal',
  summary: 'One agent by its wallet, in any letter case',
  params: { wallet: walletIn },
  response: agentRow,
})

/**
 * The gateway believes its copy where it accepts a caller, so a lost event would leave an agent without its suspension, or without its policy: this is
 * what it polls.
 */
export const listRestrictedAgents = endpoint({
  method: 'get',
  path: '/internal/v1/restricted-agents',
  caller: 'internal',
  summary: 'Agents that are suspended or migrated, or whose calls need a signature, in the order of their last change since a time',
  query: { since: timestamp },
  /** `next`: from where the next read goes on. `more`: there is more to read now. */
  response: z.object({ agents: z.array(agentRow), next: timestamp, more: z.boolean() }),
})

export const getAgentRowByHandle = endpoint({
  method: 'get',
  path: '/internal/v1/agents/by-handle/:handle',
  caller: 'internal',
  summary: 'One agent by handle',
  params: { handle },
  response: agentRow,
})

/** What the page of an agent begins with. */
export const getProfileWithSkills = endpoint({
  method: 'get',
  path: '/internal/v1/profiles/:id',
  caller: 'internal',
  summary: 'The profile of an agent, by id or handle, and its skills',
  response: z.looseObject({ agent: agentProfile, skills: z.array(skillRecord) }),
})

/** Reputation requests it before it pushes a score to a network that does not know the agent. */
export const registerOnChain = endpoint({
  method: 'post',
  path: '/internal/v1/agents/:id/chains/:chain',
  caller: 'internal',
  summary: 'Register the agent on a network where it is missing; a failed registration goes into its next round',
  params: { chain },
  response: z.looseObject({
    status: z.enum(['pending', 'confirmed', 'failed']),
    tokenId: z.string().nullable(),
    txHash: z.string().nullable(),
  }),
  also: [202],
})

export const announceAgents = announceEndpoint(['agent'])
