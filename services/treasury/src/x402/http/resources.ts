import { apis, bazaarOf, gatewayApi, parseUsd, routes } from '@carapace/api'
import { paymentTerms } from '@carapace/chain'
import { baseUrlOf } from '@carapace/service'
import type { Parts } from '../../parts.ts'

interface Page {
  type?: string | undefined
  limit: number
  offset: number
}

/** Every price of every endpoint; an endpoint with two prices is two resources. */
const sold = routes(Object.values(apis)).all.flatMap(({ path, endpoint }) =>
  endpoint.path === path ? endpoint.prices.map(price => ({ path, endpoint, price })) : [],
)
const microOf = ({ amount }: { amount: string }): bigint => parseUsd(Number(amount)) ?? 0n
/** Of all that is sold, µ. */
export const lowestPrice: bigint = sold.map(({ price }) => microOf(price)).toSorted((a, b) => Number(a - b))[0]!
const started = new Date().toISOString()

/** GET /facilitator/discovery/resources: what can be bought, with its input and output. @throws DEPENDENCY_UNAVAILABLE */
export async function listResources(parts: Parts, payTo: string | undefined, { type, limit, offset }: Page) {
  const isEmpty = payTo === undefined || (type !== undefined && type !== 'http')
  const all = isEmpty ? [] : sold
  const networks = isEmpty ? [] : await parts.networks.all()
  const base = baseUrlOf(parts.config)
  const items = all.slice(offset, offset + limit).map(({ path, endpoint, price }) => {
    const query = new URLSearchParams(price.query).toString()
    // what is open by itself is sold by the one path that sells everything
    const resource = price.gated ? `${base}${path}` : `${base}/api/x402/pay`
    const bazaar = price.gated
      ? bazaarOf({ endpoint, query: endpoint.query.safeParse({ ...price.query, ...price.example }).data ?? {} })
      : bazaarOf({ endpoint: gatewayApi.endpoints.payX402, body: { endpoint: query === '' ? path : `${path}?${query}` }, answers: endpoint })
    return {
      resource,
      type: 'http',
      x402Version: 2 as const,
      accepts: networks.map(network => paymentTerms(network, microOf(price), payTo ?? '')),
      lastUpdated: started,
      description: endpoint.summary,
      mimeType: 'application/json',
      serviceName: 'Carapace',
      extensions: { bazaar },
    }
  })
  return { x402Version: 2 as const, items, pagination: { limit, offset, total: all.length } }
}
