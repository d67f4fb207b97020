import { refuse, type ServiceName } from '@carapace/api'
import { callHeaders, expiry, type RequestContext, reply } from '@carapace/service'
import { soldAt } from '../x402/purchase.ts'

export interface SaleParts {
  address(service: ServiceName): string
  internalKey: string
}

/**
 * Answers what a priced path answers; by the time this runs, the payment step has seen to the price.
 * @throws NOT_PRICED for any other path
 */
export async function sell(parts: SaleParts, wanted: { endpoint: string; agentId?: string | undefined }, context: RequestContext) {
  const purchase = soldAt(wanted.endpoint, wanted.agentId) ?? refuse('NOT_PRICED', { endpoint: wanted.endpoint })
  const { service } = purchase.found
  const response = await fetch(`${parts.address(service)}${purchase.path}`, {
    headers: callHeaders({ ...context, expires: expiry() }, parts.internalKey),
    signal: AbortSignal.timeout(10_000),
  }).catch(() => refuse('DEPENDENCY_UNAVAILABLE', { service }))
  return reply(response.status, await response.json().catch(() => refuse('DEPENDENCY_UNAVAILABLE', { service })))
}
