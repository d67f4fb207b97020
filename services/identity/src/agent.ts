import { type AgentRow, agentUpdated, type Chain, chains, type Draft } from '@carapace/api'
import type { OnChain } from '@carapace/chain'
import type { Decision } from '@carapace/store'
import { isVerified, type Skill } from './skills/skill.ts'
import type { Standing } from './standing.ts'

export const agentsCollection = 'agents'

/** One on-chain effect of a registration, as far as the relayer has reported it. */
export interface Step {
  /** Of its command; null until one is sent. */
  onChain: Required<OnChain> | null
  attempts: number
  confirmedAt: Date | null
}
export interface IdentityStep extends Step {
  tokenId: string | null
}
export interface Registration {
  identity: IdentityStep
  card: Step
}

export interface ReplacedCard {
  tokenId: number
  /** Where it was minted. */
  chains: Chain[]
}

/** The last attempt of an agent at one challenge. */
export interface Attempt {
  id: string
  skill: string
  expiresAt: Date
  gradedAt: Date | null
  score: number | null
}

export interface Agent {
  id: string
  handle: string
  /** EIP-55; null after it was abandoned. */
  wallet: string | null
  formerWallet: string | null
  /** The wallet signed the registration. */
  walletProven: boolean
  description: string | null
  avatar: string | null
  externalLink: string | null
  agentType: string | null
  skills: Skill[]
  /** The last ones that its agent removed: a repeated removal answers as the first. */
  removedSkillIds?: string[]
  githubHandle: string | null
  githubLinkedAt: Date | null
  githubSyncedAt: Date | null
  /** The last attempt at each challenge. */
  attempts: Attempt[]
  preferredChain: Chain
  chains: Record<Chain, Registration>
  /** Gas money for the network that users need it on. */
  drip: Step
  cardTokenId: number
  /** Card of the agent that gave this wallet up; burnt before the own one is minted. */
  replacedCard?: ReplacedCard
  status: AgentRow['status']
  /** By an operator; while it lasts. */
  suspension?: { at: Date; reason: string }
  /** The platform's own agent. */
  platform: boolean
  requireSignature: boolean
  registeredAt: Date
  lastHeartbeat: Date | null
  /** Last sign of life that was announced to others; at first the registration. */
  announcedAt: Date | null
  /** The agent's own description of its work. */
  workStatus: 'active' | 'idle' | 'busy' | 'offline' | null
  currentTask: string | null
  /** Heartbeats of the last minute that came without identity headers. */
  recentBeats: Date[]
  /** Of the request that registered it: the same request may come again after a crash. */
  operationId: string
  /** Facts of other services about it; written past the rules, see standing.ts. */
  standing: Standing
  /** Entry of its credentials in the status list, once it is not the number of its card any more. */
  statusIndex?: number
  /** Entries of credentials that were revoked. */
  revokedIndices?: number[]
  /** The migration that this agent is part of. */
  migrationId: string | null

  /** Derived for queries, see `derived`. */
  walletKey?: string
  skillNames: string[]
  /** `<chain>:<tokenId>` */
  tokenKeys: string[]
  /** Confirmed on preferredChain. */
  registered: boolean
  /** Active, and not the platform itself. */
  hireable: boolean
  lastSeenAt: Date
  searchText: string
  /** Not every call that names it may be made. Absent until the first change by a version that knows it. */
  restricted?: boolean
}

export const noStep: Step = { onChain: null, attempts: 0, confirmedAt: null }

const noCommand = { status: 'none', round: 0, seq: 0, txHash: null, blockNumber: null, error: null } as const
/** What is known of a step, also of one without a command. */
export const progressOf = ({ onChain }: Step): Required<OnChain> | typeof noCommand => onChain ?? noCommand

type Underived = Omit<Agent, 'walletKey' | 'skillNames' | 'tokenKeys' | 'registered' | 'hireable' | 'lastSeenAt' | 'searchText' | 'restricted'>

/** The agent with its derived fields recomputed. */
export function derived(agent: Underived): Agent {
  const skillNames = agent.skills.map(skill => skill.name)
  const { walletKey: _, ...rest } = agent as Agent
  return {
    ...rest,
    ...(agent.wallet === null ? {} : { walletKey: agent.wallet.toLowerCase() }),
    skillNames,
    tokenKeys: chains.flatMap(chain => (agent.chains[chain].identity.tokenId === null ? [] : [`${chain}:${agent.chains[chain].identity.tokenId}`])),
    registered: agent.chains[agent.preferredChain].identity.onChain?.status === 'confirmed',
    hireable: agent.status === 'active' && !agent.platform,
    restricted: agent.status !== 'active' || agent.requireSignature,
    lastSeenAt: agent.lastHeartbeat ?? agent.registeredAt,
    searchText: [agent.handle, agent.description ?? '', ...skillNames].join('\n').toLowerCase(),
  }
}

/** A change of an agent with its events. */
export const changed = (agent: Agent, patch: Partial<Underived>, events: Draft[] = []): Decision<Agent> => ({
  state: derived({ ...agent, ...patch }),
  events,
})

export const verifiedSkillNames = (agent: Agent): string[] => agent.skills.filter(isVerified).map(skill => skill.name)

/** The profile as every event carries it. */
export const profileFacts = (agent: Agent) => ({
  description: agent.description,
  skills: agent.skills.map(skill => skill.name),
  verifiedSkills: verifiedSkillNames(agent),
  externalLink: agent.externalLink,
  avatar: agent.avatar,
})

/** A change of the profile; its event carries the whole profile. */
export function announced(agent: Agent, patch: Partial<Underived>): Decision<Agent> {
  const after = { ...agent, ...patch }
  const { id: agentId, handle } = agent
  return changed(agent, patch, [agentUpdated.of({ agentId, handle, requireSignature: after.requireSignature, ...profileFacts(after) })])
}
