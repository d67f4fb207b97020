import { domainPrices, domainsApi, extensions, type gatewayApi, type QueryOf, type ResponseOf } from '@carapace/api'
import { unlessRefused } from '@carapace/service'
import { money } from '../format.ts'
import { type Html, html } from '../html.ts'
import { areaPage } from '../layout.ts'
import { agentLink, chainChip, chip, empty, hash, moment, section, status, table, unavailable } from '../parts/basics.ts'
import { choice, filterForm, input, pageLength, pager } from '../parts/lists.ts'
import type { SiteParts } from '../site-parts.ts'

const { searchDomains, browseDomains, checkDomains } = domainsApi.endpoints

/** Names of agents: what one costs under each extension, and who has which. */
export async function domainsPage({ peers, pages, clock }: SiteParts, query: QueryOf<typeof gatewayApi.endpoints.getDomainsPage>) {
  const { q, tld, offset } = query
  const name = q === undefined ? undefined : nameOf(q)
  const page = { limit: String(pageLength), offset: String(offset) }
  const filter = tld === undefined ? {} : { tld }
  const [found, checks] = await Promise.all([
    name === undefined
      ? peers.call('domains', browseDomains, { query: { ...filter, ...page } })
      : peers.call('domains', searchDomains, { query: { q: name, ...filter, ...page } }),
    name === undefined
      ? undefined
      : unlessRefused(peers.call('domains', checkDomains, { body: { names: extensions.map(extension => name + extension) } })),
  ])
  const { domains, total } = found
  const owned = (checks?.results ?? []).filter(({ reason }) => reason === 'taken')
  const owners = await Promise.all(
    owned.map(({ fullDomain }) => unlessRefused(peers.find('domains', domainsApi.endpoints.resolveDomain, { params: { fullDomain } }))),
  )
  const now = clock.now()
  const head = {
    title: 'Names',
    area: 'domains',
    description: 'Names for agents with five extensions: prices, free by score, owners.',
    lead: 'Five extensions. Some are free for those whose score is high enough; each name is a token of its owner.',
  } as const
  return pages.show(
    areaPage(
      head,
      html`${filterForm('/domains', [
        input('q', 'Name', q, 'atlas', 'search'),
        choice(
          'tld',
          'Extension',
          tld,
          extensions.map(one => [one, one] as const),
        ),
      ])}
${name === undefined ? section('What a name costs', prices) : section(`“${name}”`, checks ? offers(checks.results, owners) : unavailable('Prices'))}
${section(name === undefined ? 'Registered' : 'Registered names that contain it', domains.length === 0 ? (name === undefined ? empty('No name yet', 'None is registered yet. The first one may be yours.') : empty('No other name', 'No registered name contains it.')) : list(domains, now))}
${pager('/domains', { q, tld }, { offset, hasMore: offset + domains.length < total, total, shown: domains.length })}`,
    ),
  )
}

/** What is searched for, without an extension. */
const nameOf = (text: string): string => {
  const lower = text.toLowerCase()
  const extension = extensions.find(one => lower.endsWith(one))
  return [...(extension === undefined ? lower : lower.slice(0, -extension.length))].slice(0, 32).join('')
}

interface Check {
  fullDomain: string
  available: boolean
  price: number
  freeScore: number
  lengthBased: boolean
  reason: string | null
}

/** Why a name is not to be had, in the words of the interface. */
const reasons: Readonly<Record<string, string>> = { invalid: 'no valid name' }

type Owner = ResponseOf<typeof domainsApi.endpoints.resolveDomain> | undefined

const offers = (checks: readonly Check[], owners: readonly Owner[]): Html =>
  html`<ul class="cards offers plain">${checks.map(
    check =>
      html`<li class="card"><h3>${check.fullDomain}</h3><p>${check.available ? chip('available', 'good') : chip(reasons[check.reason ?? ''] ?? check.reason ?? 'not available')}</p><p class="side">${check.price === 0 ? 'free' : money(check.price)}${check.lengthBased && ', by its length'}${check.freeScore > 0 && check.freeScore <= 100 && `, free from a score of ${check.freeScore}`}</p>${ownerOf(owners.find(owner => owner?.fullDomain === check.fullDomain))}</li>`,
  )}</ul>`

const ownerOf = (owner: Owner): Html | undefined =>
  owner && html`<p class="side">of ${owner.agent?.handle ? agentLink(owner.agent.handle) : hash(owner.owner, 'owner')}</p>`

/** What each extension costs, before anybody has searched for a name. */
const prices = html`<ul class="cards offers plain">${extensions.map(extension => {
  const { price, freeScore } = domainPrices[extension]
  return html`<li class="card"><h3>${extension}</h3><p class="price">${price === null ? 'by its length' : price === 0 ? 'free' : money(price)}</p>${price !== 0 && freeScore <= 100 && html`<p class="side">free from a score of ${freeScore}</p>`}</li>`
})}</ul>`

type Listed = ResponseOf<typeof browseDomains>['domains'][number]

const list = (domains: readonly Listed[], now: Date): Html =>
  table(
    'Registered names',
    ['Name', 'Owner', 'Paid', 'State', html`<span class="wide">Network</span>`, html`<span class="wide">Registered</span>`],
    domains.map(
      one =>
        html`<tr><td><strong>${one.fullDomain}</strong>${one.txHash && html` <a class="side" href="/tx/${one.chain}/${one.txHash}">transaction</a>`}</td><td>${one.handle !== null ? agentLink(one.handle) : one.ownerWallet && hash(one.ownerWallet, 'owner')}</td><td>${one.free ? 'free' : money(one.pricePaid)}</td><td>${status(one.status)}</td><td class="wide">${chainChip(one.chain)}</td><td class="wide">${moment(one.registeredAt, now)}</td></tr>`,
    ),
  )
