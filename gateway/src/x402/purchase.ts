import type { IncomingMessage } from 'node:http'
import { apis, type Bazaar, bazaarOf, type Found, gatewayApi, type Price, parseUsd, routes } from '@carapace/api'
import type { Identity } from '../identity/identify.ts'
import type { Target } from '../request/request.ts'
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

/** An entry also stands for a missing value, so the first one is the default. Of a repeated parameter a service reads the last: that one is sold. */
const isFor = ({ query = {} }: Price, sent: URLSearchParams): boolean =>
  Object.entries(query).every(([name, value]) => (sent.getAll(name).at(-1) ?? value) === value)

/** Undefined for what is no address, and for one that names a host: two slashes at the start, or what counts as such. */
function ownUrl(path: string): URL | undefined {
  const url = URL.canParse(path, here) ? new URL(path, here) : undefined
  return url?.origin === here ? url : undefined
}

/** What a request buys, and for which agent. */
export interface Bought {
  purchase: Purchase
  agentId: string | null
}

const { payX402 } = gatewayApi.endpoints
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a route sells a read. */
export const maySell = (found: Found): boolean => found.endpoint === payX402 || isGated(found)

/** Of a route that sells. Undefined where nothing is due, and where the service refuses the request anyway: nobody pays for a 400. */
export async function boughtBy(
  request: IncomingMessage,
  found: Found,
  { path, query }: Target,
  identity: Identity,
  body: () => Promise<Buffer | undefined>,
): Promise<Bought | undefined> {
  const isSale = found.endpoint === payX402
  const order = isSale ? orderIn(await body()) : undefined
  const sold = order && soldAt(order.endpoint, order.agentId)
  const purchase = isSale ? sold && { ...sold, order } : gatedBy(found, path, query)
  if (!purchase || !isAnswerable(purchase)) return undefined
  return { purchase, agentId: order?.agentId ?? identity.agent?.agentId ?? namedAgent(request) }
}

function orderIn(bytes: Buffer | undefined): { endpoint: string; agentId?: string | undefined } | undefined {
  try {
    return payX402.body!.safeParse(JSON.parse(bytes?.toString() ?? '')).data
  } catch {
    return undefined
  }
}

/** A public read proves nobody: the header says for whom it is bought, and gives no right to anything. */
function namedAgent({ headers }: IncomingMessage): string | null {
  const named = headers['x-agent-id']
  return typeof named === 'string' && uuid.test(named.trim()) ? named.trim().toLowerCase() : null
}
