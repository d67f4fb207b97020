import { chainEvent, chainEventRemoved, chainRelayerApi, domainSynced } from '@carapace/api'
import { toChecksum } from '@carapace/chain'
import { on, type Subscription } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { facts, transferEvent, withOwner } from './apply-domain-outcome.ts'
import { changeDomain } from './change-domain.ts'
import { type Domain, isOwned } from './domain.ts'
import { registryOf } from './registry.ts'
import { domainStates } from './states.ts'

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
 * and from blocks that are no longer part of the chain. What operations of this service do comes with their outcomes; a name without an owner here that
 * an agent has by a final log is that agent's all the same.
 * @param txHash of a final log; null: something else is the reason
 */
export async function reconcile(parts: Parts, domain: Stored<Domain>, txHash: string | null): Promise<Stored<Domain>> {
  const owner = await ownerOnChain(parts, domain)
  if (owner === null || owner === domain.ownerWallet) return domain
  const agentId = (await parts.agents.byWallet(owner))?.id ?? null
  const now = parts.clock.now()
  return changeDomain(parts, domain.id, (present, mayLink) => {
    const isOurs = present.operations.some(({ onChain, to }) => onChain?.status === 'pending' && to === owner)
    if (isOurs || present.ownerWallet === owner) return undefined
    if (present.status === 'free' && agentId !== null && txHash !== null) {
      const state = withOwner(ownable(present, agentId), owner, agentId, mayLink)
      return { state, events: [domainSynced.of(facts(state, txHash, now))] }
    }
    if (!isOwned(present)) return undefined
    const state = withOwner(present, owner, agentId, mayLink)
    return { state, events: [transferEvent(present, state, txHash, now)] }
  })
}

/** A free name as one that an agent has; the place of a registration that came to nothing stays with it where it is of this agent. */
function ownable({ freeSlot, ...rest }: Domain, agentId: string): Domain {
  const isOwnSlot = freeSlot?.startsWith(`${agentId}/`) === true
  return { ...rest, ...(isOwnSlot ? { freeSlot } : {}), status: domainStates.move(rest.status, 'confirmMint'), formerOwner: null }
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
