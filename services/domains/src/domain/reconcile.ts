import { chainEvent, chainEventRemoved, chainRelayerApi } from '@carapace/api'
import { toChecksum } from '@carapace/chain'
import { on, type Subscription } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { transferEvent, withOwner } from './apply-domain-outcome.ts'
import { changeDomain } from './change-domain.ts'
import type { Domain } from './domain.ts'
import { registryOf } from './registry.ts'

/** Who owns the token of a name now; null where there is none. @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE */
export async function ownerOnChain(
  parts: Pick<Parts, 'peers' | 'networks'>,
  domain: Pick<Domain, 'chain' | 'tokenId' | 'registry'>,
): Promise<string | null> {
  const params = { chain: domain.chain, contract: 'DomainRegistry', tokenId: domain.tokenId }
  const query = { at: await registryOf(parts, domain) }
  const { owner } = await parts.peers.call('chain-relayer', chainRelayerApi.internal.chainOwnerOf, { params, query })
  return owner === null ? null : toChecksum(owner)
}

/**
 * Updates a name from the chain after its owner has sent the token itself. The chain is read, and not the log believed: logs may come late, twice
 * and from blocks that are no longer part of the chain. What operations of this service do comes with their outcomes.
 */
export async function reconcile(parts: Parts, domain: Stored<Domain>, txHash: string | null): Promise<Stored<Domain>> {
  const owner = await ownerOnChain(parts, domain)
  if (owner === null || owner === domain.ownerWallet) return domain
  const agentId = (await parts.agents.byWallet(owner))?.id ?? null
  const now = parts.clock.now()
  return changeDomain(parts, domain.id, (present, mayLink) => {
    const isOurs = present.operations.some(({ onChain, to }) => onChain?.status === 'pending' && to === owner)
    const isOwned = present.status === 'active' || present.status === 'transferring' || present.status === 'burning'
    if (!isOwned || isOurs || present.ownerWallet === owner) return undefined
    const state = withOwner(present, owner, agentId, mayLink)
    return { state, events: [transferEvent(present, state, txHash, now)] }
  })
}

/** Transfers that owners made on the registry itself. */
export function directTransfers(parts: Parts): Subscription[] {
  const seen = async ({ tokenId, txHash }: { tokenId: string; txHash: string | null }) => {
    const domain = await parts.domains.ofToken(tokenId)
    if (domain) await reconcile(parts, domain, txHash)
  }
  return [
    on(chainEvent('DomainRegistry', 'Transfer'), async ({ args, txHash, final }) =>
      final ? seen({ tokenId: String(args.tokenId), txHash }) : undefined,
    ),
    on(chainEventRemoved, async ({ contract, event, args }) =>
      contract === 'DomainRegistry' && event === 'Transfer' ? seen({ tokenId: String(args.tokenId), txHash: null }) : undefined,
    ),
  ]
}
