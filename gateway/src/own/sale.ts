import { apis, type Found, type Price, refuse, routes, type ServiceName, x402Prices } from '@carapace/api'
import { callHeaders, expiry, type RequestContext, reply } from '@carapace/service'

export interface SaleParts {
  address(service: ServiceName): string
  internalKey: string
}

const here = 'http://gateway'
const table = routes(Object.values(apis))
const prices = new Map<string, Price[]>(x402Prices.map(price => [price.path, x402Prices.filter(other => other.path === price.path)]))

/**
 * Answers what a priced path answers; by the time this runs, the payment step has seen to the price.
 * @throws NOT_PRICED for any other path
 */
export async function sell(parts: SaleParts, wanted: { endpoint: string; agentId?: string | undefined }, context: RequestContext) {
  const url = ownUrl(wanted.endpoint.replaceAll(/:(?:id|agentId|wallet)\b/g, wanted.agentId ?? ':id'))
  const match = table.match('GET', url?.pathname ?? '')
  if (!url || !('endpoint' in match) || !isPriced(match, url.searchParams)) return refuse('NOT_PRICED', { endpoint: wanted.endpoint })
  const response = await fetch(`${parts.address(match.service)}${url.pathname}${url.search}`, {
    headers: callHeaders({ ...context, expires: expiry() }, parts.internalKey),
    signal: AbortSignal.timeout(10_000),
  }).catch(() => refuse('DEPENDENCY_UNAVAILABLE', { service: match.service }))
  return reply(response.status, await response.json().catch(() => refuse('DEPENDENCY_UNAVAILABLE', { service: match.service })))
}

/** Undefined for what is no address, and for one that names a host: two slashes at the start, or what counts as such. */
function ownUrl(path: string): URL | undefined {
  const url = URL.canParse(path, here) ? new URL(path, here) : undefined
  return url?.origin === here ? url : undefined
}

function isPriced({ path }: Found, query: URLSearchParams): boolean {
  const entries = prices.get(path)
  return entries?.some(price => Object.entries(price.query ?? {}).every(([name, value]) => (query.get(name) ?? value) === value)) ?? false
}
