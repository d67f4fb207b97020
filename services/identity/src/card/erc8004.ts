import { type Chain, usd } from '@carapace/api'
import { networks, perChain } from '@carapace/chain'
import type { Stored } from '@carapace/store'
import { type Agent, verifiedSkillNames } from '../agent.ts'
import { agentRegistry, registryOf } from '../networks.ts'
import type { Parts } from '../parts.ts'
import { iso, shownWallet, tokens } from '../views.ts'

/** Where a token is shown in the network's explorer. */
export const scanUrl = ({ explorer }: Pick<Parts, 'explorer'>, { handle }: Agent, chain: Chain, tokenId: string | null): string | null =>
  tokenId === null ? null : explorer.token(chain, registryOf(chain), tokenId, `/agents/${handle}`)

/** The on-chain identity of an agent on one network. */
export async function erc8004View({ owners, cards, clock, explorer }: Parts, agent: Stored<Agent>, chain: Chain = agent.preferredChain) {
  const { tokenId } = agent.chains[chain].identity
  const [ownerOf, nftAddress] = await Promise.all([owners.of(tokens(agent)), cards.of(chain)])
  const { standing } = agent
  return {
    agentId: agent.id,
    handle: agent.handle,
    moltDomain: standing.moltDomain,
    walletAddress: shownWallet(agent),
    erc8004TokenId: tokenId,
    registryAddress: registryOf(chain),
    nftAddress,
    agentRegistry: agentRegistry(chain),
    chain,
    chainId: networks[chain].chainId,
    fusedScore: standing.fusedScore,
    tier: standing.tier,
    bondTier: standing.bondTier,
    totalBonded: usd(standing.totalBonded),
    riskScore: standing.riskScore,
    isVerified: tokenId !== null && agent.wallet !== null && ownerOf(chain, tokenId)?.owner === agent.wallet,
    skills: agent.skillNames,
    verifiedSkills: verifiedSkillNames(agent),
    scanUrl: scanUrl({ explorer }, agent, chain, tokenId),
    resolvedAt: clock.now().toISOString(),
  }
}

/** Whether the wallet owns the identity tokens, by the log of the relayer, without a call to the networks. */
export async function verification({ owners, clock }: Parts, agent: Stored<Agent>) {
  const ownerOf = await owners.of(tokens(agent))
  const states = perChain(chain => {
    const { tokenId, onChain } = agent.chains[chain].identity
    const token = tokenId === null ? undefined : ownerOf(chain, tokenId)
    return {
      registered: onChain?.status === 'confirmed',
      tokenId,
      owner: token?.owner ?? null,
      isOwner: agent.wallet !== null && token?.owner === agent.wallet,
      registry: registryOf(chain),
      blockNumber: token?.blockNumber ?? null,
    }
  })
  return { agentId: agent.id, handle: agent.handle, verified: states[agent.preferredChain].isOwner, chains: states, checkedAt: iso(clock.now())! }
}
