import type { PublishedOutcome } from '@carapace/api'
import { type ObservedOutcome, operationParts } from '@carapace/chain'
import { onOutcomes, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { applyDomainOutcome } from './apply-domain-outcome.ts'
import { changeDomain } from './change-domain.ts'

type Received = PublishedOutcome<'submitted' | 'confirmed' | 'failed' | 'reorged'>

/** What the relayer publishes about operations on names. */
export function domainOutcomes(parts: Parts): Subscription[] {
  const follow = async (received: Received) => {
    const [, id, n] = operationParts(received.opKey)
    // a database that was set back knows nothing of it
    if (!(await parts.domains.get(id))) return
    const outcome = observed(received)
    await changeDomain(parts, id, (domain, mayLink) => applyDomainOutcome(domain, Number(n), outcome, parts.clock.now(), mayLink))
  }
  const each = { submitted: follow, confirmed: follow, failed: follow, reorged: follow }
  return onOutcomes({ 'domain.mint': each, 'domain.transfer': each, 'domain.burn': each })
}

function observed(received: Received): ObservedOutcome {
  if (received.is !== 'failed') return received
  const { code, message, revert, txHash = null } = received
  return { ...received, txHash, error: `${code}: ${revert?.name ?? message}` }
}
