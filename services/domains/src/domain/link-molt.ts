import { domainSynced } from '@carapace/api'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { facts, withOwner } from './apply-domain-outcome.ts'
import { changeDomain } from './change-domain.ts'
import { type Domain, isPrimary } from './domain.ts'
import { reconcile } from './reconcile.ts'

/** More .molt names than any wallet was sent. */
const considered = 100

/** Links the .molt name that has been the agent's for longest, where it has one that is not linked. The owner requests it: anybody may send names. */
export async function linkMolt(parts: Parts, agentId: string): Promise<Stored<Domain> | undefined> {
  const own = { listed: true, agentId, tld: '.molt', status: 'active' }
  for (const found of await parts.domains.find(own, { sort: { registeredAt: 1, _id: 1 }, limit: considered })) {
    await reconcile(parts, found, null)
    const linked = await changeDomain(parts, found.id, (domain, mayLink) => {
      const isOwn = domain.status === 'active' && domain.agentId === agentId
      if (!isOwn || !mayLink || isPrimary(domain)) return undefined
      const state = withOwner(domain, domain.ownerWallet!, agentId, true)
      return { state, events: [domainSynced.of(facts(state, null, parts.clock.now()))] }
    })
    if (isPrimary(linked) && linked.agentId === agentId) return linked
  }
  return undefined
}
