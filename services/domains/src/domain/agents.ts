import { agentRegistered, agentStatusChanged, domainSynced } from '@carapace/api'
import { on, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { facts, withOwner } from './apply-domain-outcome.ts'
import { changeDomain } from './change-domain.ts'

/** Names of one wallet that follow its agent in one step; more are rare, and molt-sync updates any of them. */
const followed = 100

/** A name belongs to a wallet: its agent is the one that is registered with that wallet now. */
export function ownerAgents(parts: Parts): Subscription[] {
  const assign = async (wallet: string, agentId: string | null, formerId?: string) => {
    const { items } = await parts.domains.listed({ ownerWallet: wallet }, { limit: followed, offset: 0 })
    for (const { id } of items)
      await changeDomain(parts, id, (domain, mayLink) => {
        if (domain.ownerWallet !== wallet || domain.agentId === agentId || (formerId !== undefined && domain.agentId !== formerId)) return undefined
        const state = withOwner(domain, wallet, agentId, mayLink)
        return { state, events: [domainSynced.of(facts(state, null, parts.clock.now()))] }
      })
  }
  return [
    on(agentRegistered, async ({ agentId, wallet }) => (wallet === null ? undefined : assign(wallet, agentId))),
    on(agentStatusChanged, async ({ agentId, wallet, formerWallet }) =>
      wallet === null && formerWallet ? assign(formerWallet, null, agentId) : undefined,
    ),
  ]
}
