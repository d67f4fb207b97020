import { chainRelayerApi, chains, extensions, identityApi } from '@carapace/api'
import { reply } from '@carapace/service'
import { html } from '../html.ts'
import { addressOf } from '../parts/lists.ts'
import { type SiteParts, unlessRefused } from './parts.ts'

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
  if (extensions.some(extension => text.toLowerCase().endsWith(extension))) return addressOf('/domains', { q: text.toLowerCase() })
  if (/^[a-z0-9-]{3,32}$/.test(text) && (await unlessRefused(peers.find('identity', identityApi.endpoints.getAgent, { params: { id: text } }))))
    return `/agents/${text}`
  return list
}
