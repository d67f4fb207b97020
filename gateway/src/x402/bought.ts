import type { IncomingMessage } from 'node:http'
import { type Found, gatewayApi } from '@carapace/api'
import type { Identity } from '../identity/identify.ts'
import type { Target } from '../request/target.ts'
import { gatedBy, isAnswerable, isGated, type Purchase, soldAt } from './purchase.ts'

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
