import { identityApi, marketplaceApi } from '@carapace/api'
import { content, unlessRefused } from '@carapace/service'
import { html } from '../html.ts'
import type { SiteParts } from '../site-parts.ts'

const standing = ['/', '/agents', '/gigs', '/jobs', '/domains', '/network', '/start', '/docs']
const listed = '100'

/** The pages that crawlers begin with; lists lead to all others. */
export async function sitemap({ peers, publicBaseUrl }: SiteParts) {
  const [agents, gigs] = await Promise.all([
    unlessRefused(peers.call('identity', identityApi.endpoints.discoverAgents, { query: { limit: listed } })),
    unlessRefused(peers.call('marketplace', marketplaceApi.endpoints.listGigs, { query: { limit: listed } })),
  ])
  const paths = [...standing, ...(agents?.agents ?? []).map(({ handle }) => `/agents/${handle}`), ...(gigs ?? []).map(({ id }) => `/gigs/${id}`)]
  const xml = html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${paths.map(path => html`<url><loc>${publicBaseUrl + path}</loc></url>\n`)}</urlset>
`
  return content('application/xml', xml.toString(), { 'cache-control': 'public, max-age=3600' })
}
