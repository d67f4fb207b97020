import { type AgentProfile, type AgentRow, type Chain, chains, usd } from '@carapace/api'
import { type Explorer, perChain } from '@carapace/chain'
import type { Stored } from '@carapace/store'
import { type Agent, progressOf, type Step, verifiedSkillNames } from './agent.ts'
import { activityOf, autonomyOf } from './heartbeat/activity.ts'
import type { TokenOwners } from './registration/owner.store.ts'
import { requestedChains } from './registration/registration.ts'
import { bondVersionOf } from './standing.ts'

export const iso = (date: Date | null) => date?.toISOString() ?? null

/** The wallet that an agent shows: the former one after it was abandoned. */
export const shownWallet = (agent: Agent): string => agent.wallet ?? agent.formerWallet ?? ''

/** The on-chain part of the agent's record: its registration on the preferred network. */
export const onChainView = (agent: Agent, chain: Chain = agent.preferredChain) => {
  const { status, txHash, blockNumber, error } = progressOf(agent.chains[chain].identity)
  return { status, chain, txHash, blockNumber, error }
}

interface Shown {
  owners: TokenOwners
  explorer: Explorer
}

/** Profiles, in the given order, with one read of token owners for all. */
export async function profiles({ owners, explorer }: Shown, agents: readonly Stored<Agent>[], now: Date): Promise<AgentProfile[]> {
  const ownerOf = await owners.of(agents.flatMap(agent => tokens(agent)))
  return agents.map(agent => {
    const { preferredChain: chain, wallet } = agent
    const { tokenId } = agent.chains[chain].identity
    return profile(agent, tokenId !== null && wallet !== null && ownerOf(chain, tokenId)?.owner === wallet, explorer, now)
  })
}

/** The identity tokens of an agent. */
export const tokens = (agent: Agent) =>
  chains.flatMap(chain => {
    const { tokenId } = agent.chains[chain].identity
    return tokenId === null ? [] : [{ chain, tokenId }]
  })

function profile(agent: Stored<Agent>, isVerified: boolean, explorer: Explorer, now: Date): AgentProfile {
  const { standing } = agent
  return {
    id: agent.id,
    handle: agent.handle,
    walletAddress: shownWallet(agent),
    description: agent.description,
    avatar: agent.avatar,
    externalLink: agent.externalLink,
    agentType: agent.agentType,
    skills: agent.skillNames,
    verifiedSkills: verifiedSkillNames(agent),
    fusedScore: standing.fusedScore,
    tier: standing.tier,
    components: standing.components,
    badges: badgesOf(agent),
    cardTokenId: agent.cardTokenId,
    erc8004TokenId: agent.chains[agent.preferredChain].identity.tokenId,
    erc8004Registered: agent.registered,
    preferredChain: agent.preferredChain,
    chains: perChain(chain => {
      const { tokenId, ...identity } = agent.chains[chain].identity
      const { status, txHash } = progressOf(identity)
      return { registered: status === 'confirmed', tokenId, txHash, explorerUrl: txHash && explorer.tx(chain, txHash) }
    }),
    moltDomain: standing.moltDomain,
    bondTier: standing.bondTier,
    bondStatus: standing.bondStatus,
    totalBonded: usd(standing.totalBonded),
    availableBond: usd(standing.availableBond),
    lockedBond: usd(standing.lockedBond),
    riskScore: standing.riskScore,
    riskLevel: standing.riskLevel,
    isVerified,
    totalGigsCompleted: standing.totalGigsCompleted,
    totalEarned: usd(standing.totalEarned),
    autonomyStatus: autonomyView(agent, now),
    activityStatus: activityOf(agent.lastSeenAt, now).status,
    lastHeartbeat: iso(agent.lastHeartbeat),
    status: agent.status,
    followerCount: standing.followerCount,
    registeredAt: agent.registeredAt.toISOString(),
    version: agent.version,
  }
}

/** The last badges of behaviour 17.4 are of facts that are made here: the answer of the call that makes one shows it already. */
const ownBadges: readonly [string, (agent: Agent) => boolean][] = [
  ['Skill Verified', agent => verifiedSkillNames(agent).length > 0],
  ['ERC-8004 Registered', agent => chains.some(chain => agent.chains[chain].identity.onChain?.status === 'confirmed')],
]

function badgesOf(agent: Stored<Agent>): string[] {
  const { badges } = agent.standing
  const own = ownBadges.filter(([badge, isEarned]) => badges.includes(badge) || isEarned(agent)).map(([badge]) => badge)
  return [...badges.filter(badge => !own.includes(badge)), ...own]
}

export const autonomyView = (agent: Agent, now: Date) =>
  autonomyOf({ ...agent, confirmed: chains.some(chain => agent.chains[chain].identity.onChain?.status === 'confirmed') }, now)

/** Results of the registration other than the profile: one object per network when there are several, or gas money. */
export function registrationParts(agent: Agent, explorer: Explorer) {
  const both = requestedChains(agent).length > 1
  const { BASE_SEPOLIA: base, SKALE_TESTNET: skale } = agent.chains
  const shown = ({ onChain }: Step) => (onChain === null || onChain.status === 'failed' ? null : onChain.txHash)
  const baseHash = shown(base.identity)
  return {
    ...(both ? { base: { tokenId: base.identity.tokenId, txHash: baseHash, explorerUrl: baseHash && explorer.tx('BASE_SEPOLIA', baseHash) } } : {}),
    ...(skale.identity.onChain === null
      ? {}
      : {
          skale: {
            registered: skale.identity.onChain.status === 'confirmed',
            tokenId: skale.identity.tokenId,
            txHash: shown(skale.identity),
            sfuelDripped: agent.drip.onChain?.status === 'confirmed',
            sfuelTxHash: agent.drip.onChain?.status === 'confirmed' ? agent.drip.onChain.txHash : null,
          },
        }),
  }
}

/** The facts of an agent that other services project. */
export const agentRow = (agent: Stored<Agent>): AgentRow => ({
  agentId: agent.id,
  handle: agent.handle,
  wallet: agent.wallet,
  formerWallet: agent.formerWallet,
  heldByOperator: agent.suspension !== undefined,
  walletProven: agent.walletProven,
  agentType: agent.agentType,
  skills: agent.skillNames,
  verifiedSkills: verifiedSkillNames(agent),
  avatar: agent.avatar,
  preferredChain: agent.preferredChain,
  chains: perChain(chain => {
    const { tokenId, confirmedAt, ...identity } = agent.chains[chain].identity
    const { status } = progressOf({ ...identity, confirmedAt })
    return { requested: status !== 'none', registered: status === 'confirmed', tokenId, confirmedAt: iso(confirmedAt) }
  }),
  cardTokenId: agent.cardTokenId,
  status: agent.status,
  platform: agent.platform,
  requireSignature: agent.requireSignature,
  lastSeenAt: agent.lastSeenAt.toISOString(),
  registeredAt: agent.registeredAt.toISOString(),
  version: agent.version,
  bondVersion: bondVersionOf(agent),
})
