import type { FollowedOutcome } from '@carapace/api'
import { observedOutcome, operationParts, toChecksum } from '@carapace/chain'
import { followedBy, onOutcomes, type Subscription } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { applyDomainOutcome, type Burnt } from './apply-domain-outcome.ts'
import { changeDomain } from './change-domain.ts'

/** What the relayer publishes about operations on names. */
export function domainOutcomes(parts: Parts): Subscription[] {
  const follow = followedBy(async received => {
    const [, id, n] = operationParts(received.opKey)
    // a database that was set back knows nothing of it
    if (!(await parts.domains.get(id))) return
    const outcome = { ...observedOutcome(received), network: received.network, burnt: await burntIn(parts, received) }
    await changeDomain(parts, id, (domain, mayLink) => applyDomainOutcome(domain, Number(n), outcome, parts.clock.now(), mayLink))
  })
  return onOutcomes({ 'domain.mint': follow, 'domain.transfer': follow, 'domain.burn': follow })
}

/** By the token's own log: its owner may have sent it on before it was burnt. */
async function burntIn({ agents }: Parts, outcome: FollowedOutcome): Promise<Burnt | undefined> {
  if (outcome.is !== 'confirmed') return undefined
  const burn = outcome.logs.find(
    ({ contract, event, args }) => contract === 'DomainRegistry' && event === 'Transfer' && /^0x0{40}$/.test(String(args.to)),
  )
  if (!burn) return undefined
  const wallet = toChecksum(String(burn.args.from))
  return { wallet, agentId: (await agents.byWallet(wallet))?.id ?? null }
}
