import { apis, type Bazaar, bazaarOf, type Found, gatewayApi, type Price, parseUsd, routes } from '@carapace/api'
import type { Due } from './due.ts'

/** A read that has a price, with its parameters and query as valid ones. */
export interface Purchase extends Due {
  found: Found
  /** Path and query. */
  path: string
  /** Body of POST /api/x402/pay, where it is bought there. */
  order?: Order
}

type Order = Readonly<{ endpoint: string; agentId?: string | undefined }>

const here = 'http://gateway'
const table = routes(Object.values(apis))

/** What `endpoint` of POST /api/x402/pay names; undefined for what has no price. `agentId` fills a missing id. */
export function soldAt(endpoint: string, agentId: string | undefined): Purchase | undefined {
  const url = ownUrl(endpoint.replaceAll(/:(?:id|agentId|wallet)\b/g, agentId ?? ':id'))
  const match = url && table.match('GET', url.pathname)
  return match && 'endpoint' in match ? purchaseOf(match, url.pathname, url.searchParams) : undefined
}

export const isGated = ({ endpoint }: Found): boolean => endpoint.prices.some(({ gated }) => gated)

/** What a call of a gated endpoint buys; undefined where nothing is due. */
export const gatedBy = (found: Found, path: string, search: string): Purchase | undefined => purchaseOf(found, path, new URLSearchParams(search))

/** What a challenge says of the call that it is for. */
export function bazaarFor({ found, path, order }: Purchase): Bazaar {
  if (order) return bazaarOf({ endpoint: gatewayApi.endpoints.payX402, body: { ...order }, answers: found.endpoint })
  const query = found.endpoint.query.safeParse(queryOf(path)).data ?? {}
  return bazaarOf({ endpoint: found.endpoint, params: found.params, query })
}

/** Whether parameters and query are what the endpoint accepts: nobody pays for a 400. */
export function isAnswerable({ found, path }: Purchase): boolean {
  return found.endpoint.params.safeParse(found.params).success && found.endpoint.query.safeParse(queryOf(path)).success
}

const queryOf = (path: string) => Object.fromEntries(new URL(path, here).searchParams)

function purchaseOf(found: Found, path: string, query: URLSearchParams): Purchase | undefined {
  const price = found.endpoint.prices.find(entry => isFor(entry, query))
  if (!price) return undefined
  const search = query.toString()
  return {
    found,
    path: search === '' ? path : `${path}?${search}`,
    route: `GET ${found.endpoint.path}`,
    price: parseUsd(Number(price.amount))!,
    description: found.endpoint.summary,
  }
}

/** An entry also stands for a missing value, so the first one is the default. */
const isFor = ({ query = {} }: Price, sent: URLSearchParams): boolean =>
  Object.entries(query).every(([name, value]) => (sent.get(name) ?? value) === value)

/** Undefined for what is no address, and for one that names a host: two slashes at the start, or what counts as such. */
function ownUrl(path: string): URL | undefined {
  const url = URL.canParse(path, here) ? new URL(path, here) : undefined
  return url?.origin === here ? url : undefined
}
