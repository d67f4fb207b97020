import { type Chain, type ChainLog, chainRelayerApi, type FollowedOutcome } from '@carapace/api'
import { failureText, followAfterMs, onChainKey, operationParts } from '@carapace/chain'
import { followedBy, onOutcomes, type Subscription } from '@carapace/service'
import { gatheredChanges } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { type OutcomeOf, onCard, onDrip, onIdentity, replaceCard } from './registration.ts'

/** What follows the commands of a registration. An agent that is none of ours is not an error: its database may have been set back. */
export function chainOutcomes(parts: Parts): Subscription[] {
  const now = () => parts.clock.now()
  // identity and card are often in one transaction
  const change = gatheredChanges(parts.agents)
  return onOutcomes({
    'identity.register': followedBy(async outcome => {
      const [id, chain] = [subjectOf(outcome), outcome.network]
      const tokenId = outcome.is === 'confirmed' ? await tokenIdOf(parts, chain, id, outcome.logs) : null
      await change(id, agent => onIdentity(agent, chain, step(outcome, now()), tokenId), followAfterMs(outcome))
    }),
    'card.mint': followedBy(async outcome => {
      const id = subjectOf(outcome)
      await change(id, agent => onCard(agent, outcome.network, step(outcome, now())), followAfterMs(outcome))
      if (outcome.is === 'confirmed' || outcome.is === 'failed') await makeRoom(parts, id, outcome.network)
    }),
    'gas.drip': followedBy(async outcome => {
      const holder = await parts.agents.byWallet(subjectOf(outcome))
      if (holder) await change(holder.id, agent => onDrip(agent, step(outcome, now())), followAfterMs(outcome))
    }),
  })
}

/**
 * Two agents that had one wallet, the former one and the one that proved it, may have had cards on their way at the same time. Both outcomes lead here:
 * the later one knows of the other.
 */
async function makeRoom(parts: Parts, agentId: string, chain: Chain): Promise<void> {
  const { agents, baseUrl } = parts
  const agent = await agents.get(agentId)
  const status = agent?.chains[chain].card.onChain?.status
  if (agent?.formerWallet && agent.wallet === null && status === 'confirmed') {
    const holder = await agents.byWallet(agent.formerWallet)
    if (holder) await agents.change(holder.id, present => replaceCard(present, agent, chain, baseUrl))
  } else if (agent?.wallet && status === 'failed') {
    const former = await agents.byFormerWallet(agent.wallet)
    if (former) await agents.change(agent.id, present => replaceCard(present, former, chain, baseUrl))
  }
}

const subjectOf = ({ opKey }: FollowedOutcome): string => operationParts(opKey)[1]

/** An outcome as the steps of a registration use it. */
function step(outcome: FollowedOutcome, now: Date): OutcomeOf {
  const { round, seq } = outcome
  switch (outcome.is) {
    case 'submitted':
      return { is: 'submitted', round, seq, txHash: outcome.txHash }
    case 'confirmed':
      return { is: 'confirmed', round, seq, txHash: outcome.txHash, blockNumber: outcome.blockNumber, at: now }
    case 'failed':
      return { is: 'failed', round, seq, error: failureText(outcome), attempts: outcome.attempts }
    case 'reorged':
      return { is: 'reorged', round, seq }
  }
}

/** From the log, or, when the effect was found already done and there is none, from the registry itself. @throws CHAIN_UNAVAILABLE */
async function tokenIdOf(parts: Parts, chain: Chain, agentId: string, logs: readonly ChainLog[]): Promise<string> {
  const log = logs.find(({ contract, event }) => contract === 'IdentityRegistry' && event === 'Registered')
  if (log) return String(log.args.agentId)
  const { result } = await parts.peers.call('chain-relayer', chainRelayerApi.internal.chainRead, {
    params: { chain },
    body: { contract: 'IdentityRegistry', fn: 'agentOfKey', args: [onChainKey(agentId)] },
  })
  return String(result[1])
}
