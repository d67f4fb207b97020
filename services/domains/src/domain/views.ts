import { type Chain, type DomainRecord, type DomainRow, domainPrices, type Extension, usd } from '@carapace/api'
import { pollDeadline } from '@carapace/service'
import type { Stored } from '@carapace/store'
import { type Domain, isOwned, isPrimary, lastOperation, type Operation, registrationOf, requestMs } from './domain.ts'
import { isLengthBased, priceOf } from './price.ts'

/** Where a name is shown; undefined while nobody knows its registry. */
export type NamePage = (domain: Domain) => string | undefined

export const statusOf = ({ status }: Pick<Domain, 'status'>): DomainRecord['status'] =>
  status === 'funding' || status === 'minting' ? 'pending' : status === 'released' || status === 'free' ? 'released' : 'active'

/** @param now platform clock */
export function domainView(domain: Stored<Domain>, pageOf: NamePage, now: Date): DomainRecord {
  const { id, name, tld, fullDomain, chain, ownerWallet, agentId, registeredAt } = domain
  const registration = registrationOf(domain)
  const { tokenId } = domain
  const last = lastOperation(domain)
  return {
    id,
    name,
    tld,
    fullDomain,
    ownerWallet,
    agentId,
    status: statusOf(domain),
    pricePaid: usd(registration?.sale?.price ?? 0n),
    free: registration?.sale === null,
    isPrimary: isOwned(domain) && isPrimary(domain),
    tokenId,
    txHash: registration?.onChain?.txHash ?? null,
    explorerUrl: pageOf(domain) ?? null,
    registeredAt: registeredAt.toISOString(),
    chain,
    onChain: onChainView(chain, last?.kind === 'register' ? registration : last),
    nextDeadline: deadlineOf(domain, now),
  }
}

/** What time alone does next: treasury or the relayer is queried again, or a name that was deleted can be registered by anybody. */
function deadlineOf({ status, dueAt, operations }: Domain, now: Date): DomainRecord['nextDeadline'] {
  if (status === 'minting' || status === 'transferring' || status === 'burning') return pollDeadline(lastOperation({ operations })!.at, now)
  if (!dueAt) return null
  if (status === 'funding') return { at: new Date(Math.max(now.getTime(), dueAt.getTime() + requestMs)).toISOString(), action: 'retry' }
  return { at: dueAt.toISOString(), action: 'expire' }
}

export const onChainView = (chain: Chain, operation: Operation | undefined): DomainRecord['onChain'] => ({
  // one that waits for treasury has no command yet
  status: operation ? (operation.onChain?.status ?? 'pending') : 'none',
  chain,
  txHash: operation?.onChain?.txHash ?? null,
  blockNumber: operation?.onChain?.blockNumber ?? null,
  error: operation?.onChain?.error ?? null,
})

/** The answer of a check. `score`: of the calling agent; undefined for anybody. */
export function checkView(
  { name, tld }: { name: string; tld: Extension },
  reason: 'taken' | 'reserved' | 'invalid' | null,
  score: number | undefined,
) {
  const { freeScore } = domainPrices[tld]
  return {
    available: reason === null,
    price: usd(priceOf(name, tld)),
    freeScore,
    agentMeetsRequirement: (score ?? 0) >= freeScore,
    lengthBased: isLengthBased(tld),
    fullDomain: `${name}${tld}`,
    currency: 'USDC' as const,
    reason,
  }
}

export const domainRow = (domain: Stored<Domain>): DomainRow => ({
  domainId: domain.id,
  fullDomain: domain.fullDomain,
  tld: domain.tld,
  ownerWallet: domain.ownerWallet,
  agentId: domain.agentId,
  status: statusOf(domain),
  version: domain.version,
})
