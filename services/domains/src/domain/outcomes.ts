import { observedOutcome, operationParts } from '@carapace/chain'
import { followedBy, onOutcomes, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { applyDomainOutcome } from './apply-domain-outcome.ts'
import { changeDomain } from './change-domain.ts'

/** What the relayer publishes about operations on names. */
export function domainOutcomes(parts: Parts): Subscription[] {
  const follow = followedBy(async received => {
    const [, id, n] = operationParts(received.opKey)
    // a database that was set back knows nothing of it
    if (!(await parts.domains.get(id))) return
    const outcome = { ...observedOutcome(received), network: received.network }
    await changeDomain(parts, id, (domain, mayLink) => applyDomainOutcome(domain, Number(n), outcome, parts.clock.now(), mayLink))
  })
  return onOutcomes({ 'domain.mint': follow, 'domain.transfer': follow, 'domain.burn': follow })
}
