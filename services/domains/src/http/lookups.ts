import { type domainsApi, refuse } from '@carapace/api'
import { toChecksum } from '@carapace/chain'
import type { Handlers } from '@carapace/service'
import type { Page, Stored } from '@carapace/store'
import { type Domain, isOwned } from '../domain/domain.ts'
import { parseFullName } from '../domain/full-name.ts'
import { profileUrl } from '../domain/reserve-name.ts'
import { domainView, onChainView } from '../domain/views.ts'
import type { Parts } from '../parts.ts'
import { namePage } from './shown.ts'

/** More names than any agent shows in one answer. */
const namesShown = 100

export const lookupHandlers = (parts: Parts) => {
  const { domains, agents } = parts
  const view = (domain: Stored<Domain>) => domainView(domain, namePage(parts), parts.clock.now())
  const pageOf = async ({ items, total }: Page<Stored<Domain>>) => {
    const refs = await agents.refs(items.map(({ agentId }) => agentId))
    return { domains: items.map(domain => ({ ...view(domain), handle: domain.agentId === null ? null : refs(domain.agentId).handle })), total }
  }
  /** @throws NOT_FOUND for a name that nobody owns */
  const owned = async (fullDomain: string): Promise<Stored<Domain>> => {
    const domain = await domains.byName(fullDomain)
    return domain && isOwned(domain) ? domain : refuse('NOT_FOUND', { resource: 'domain' })
  }

  return {
    getMoltInfo: async ({ params }) => {
      const agent = await agents.need(params.id)
      const [molt, { items }] = await Promise.all([domains.moltOf(agent.id), domains.listed({ agentId: agent.id }, { limit: namesShown, offset: 0 })])
      const own = molt && isOwned(molt) && molt.agentId === agent.id ? molt : undefined
      return { agentId: agent.id, moltDomain: own?.fullDomain ?? null, record: own ? view(own) : null, domains: items.map(view) }
    },

    browseDomains: async ({ query: { tld, ...page } }) => ({ ...(await pageOf(await domains.listed(tld ? { tld } : {}, page))), ...page }),

    searchDomains: async ({ query: { q, tld, ...page } }) => ({ ...(await pageOf(await domains.search(q, tld, page))), query: q, ...page }),

    listWalletDomains: async ({ params, query }) => {
      const wallet = toChecksum(params.address)
      return { wallet, ...(await pageOf(await domains.listed({ ownerWallet: wallet }, query))), ...query }
    },

    resolveDomain: async ({ params }) => {
      const { name, tld } = parseFullName(params.fullDomain)
      if (tld === undefined) refuse('NOT_FOUND', { resource: 'domain' })
      const domain = await owned(`${name}${tld}`)
      const refs = await agents.refs([domain.agentId])
      return {
        fullDomain: domain.fullDomain,
        record: view(domain),
        owner: domain.ownerWallet!,
        agent: domain.agentId === null ? null : refs(domain.agentId),
        // the token's URI leads here
        name: domain.fullDomain,
        description: `The name ${domain.fullDomain}`,
        ...(domain.agentId === null ? {} : { image: `${parts.baseUrl}/api/agents/${domain.agentId}/card` }),
      }
    },

    listMoltDomains: async ({ query }) => ({ ...(await pageOf(await domains.listed({ tld: '.molt' }, query))), ...query }),

    getMoltDomain: async ({ params }) => {
      const typed = params.name.trim().toLowerCase()
      const domain = await owned(typed.endsWith('.molt') ? typed : `${typed}.molt`)
      const handle = domain.agentId === null ? null : (await agents.refs([domain.agentId]))(domain.agentId).handle
      return { ...view(domain), display: domain.fullDomain, handle, profileUrl: handle && profileUrl(parts.baseUrl, handle) }
    },

    getDomainOperation: async ({ params }) => {
      const [id = '', n] = params.id.split('.')
      const domain = await domains.need(id)
      const operation = domain.operations.find(one => one.n === Number(n)) ?? refuse('NOT_FOUND', { resource: 'operation' })
      return {
        operation: operation.kind,
        status: operation.onChain?.status ?? 'pending',
        fullDomain: domain.fullDomain,
        record: domain.status === 'free' ? null : view(domain),
        txHash: operation.onChain?.txHash ?? null,
        onChain: onChainView(operation.chain ?? domain.chain, operation),
      }
    },
  } satisfies Handlers<typeof domainsApi>
}
