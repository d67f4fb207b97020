import { chainRelayerApi, chains, commerceApi, escrowApi, extensions, identityApi, marketplaceApi } from '@carapace/api'
import { reply, unlessRefused } from '@carapace/service'
import { html } from '../html.ts'
import { addressOf } from '../parts/lists.ts'
import type { SiteParts } from '../site-parts.ts'

/** Finds what a text names, and goes there: a transaction, a wallet, a token, a name, a handle; else the list of agents that it occurs in. */
export async function searchPage(parts: SiteParts, text: string) {
  const location = await placeOf(parts, text.trim())
  const body = html`<!doctype html><title>Found</title><a href="${location}">${location}</a>`
  return reply(303, Buffer.from(body.toString()), { location, 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' })
}

async function placeOf({ peers }: SiteParts, text: string): Promise<string> {
  const list = addressOf('/agents', { q: text })
  if (/^0x[0-9a-f]{64}$/i.test(text)) {
    const found = await Promise.all(
      chains.map(chain => unlessRefused(peers.find('chain-relayer', chainRelayerApi.internal.chainTx, { params: { chain, hash: text } }))),
    )
    const chain = chains.find((_, i) => found[i] !== undefined) ?? chains[0]
    return `/tx/${chain}/${text}`
  }
  if (/^0x[0-9a-f]{40}$/i.test(text)) {
    const row = await unlessRefused(peers.find('identity', identityApi.internal.getAgentRowByWallet, { params: { wallet: text.toLowerCase() } }))
    return row ? `/agents/${row.agentId}` : list
  }
  if (/^#?\d{1,30}$/.test(text)) {
    const params = { tokenId: text.replace('#', '') }
    const tokens = await Promise.all(
      chains.map(chain => unlessRefused(peers.find('identity', identityApi.endpoints.getErc8004Token, { params, query: { chain } }))),
    )
    const found = tokens.find(token => token !== undefined)
    return found ? `/agents/${found.handle}` : list
  }
  if (uuid.test(text)) return (await recordOf(peers, text.toLowerCase())) ?? list
  if (extensions.some(extension => text.toLowerCase().endsWith(extension))) return addressOf('/domains', { q: text.toLowerCase() })
  const handle = text.toLowerCase().replace(/^@/, '')
  if (/^[a-z0-9-]{3,32}$/.test(handle) && (await unlessRefused(peers.find('identity', identityApi.endpoints.getAgent, { params: { id: handle } }))))
    return `/agents/${handle}`
  return list
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The page of the agent, gig, job or receipt with this id. */
async function recordOf(peers: SiteParts['peers'], id: string): Promise<string | undefined> {
  const places = await Promise.all([
    at('/agents', peers.find('identity', identityApi.endpoints.getAgent, { params: { id } })),
    at('/gigs', peers.find('marketplace', marketplaceApi.endpoints.getGig, { params: { id } })),
    at('/jobs', peers.find('commerce', commerceApi.endpoints.getJob, { params: { jobId: id } })),
    at('/receipts', peers.find('escrow', escrowApi.endpoints.getReceipt, { params: { id } })),
  ])
  const place = places.find(found => found !== undefined)
  return place && `${place}/${id}`
}

const at = async (place: string, finding: Promise<unknown>): Promise<string | undefined> =>
  (await unlessRefused(finding)) === undefined ? undefined : place
