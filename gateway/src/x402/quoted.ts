import { apis, type Found, type QuoteEndpoint, Refusal, type ServiceName } from '@carapace/api'
import type { Peers } from '@carapace/service'
import type { Identity } from '../identity/identify.ts'
import type { Due, Funding } from './due.ts'

/**
 * What x402 has to pay for a call whose price its service knows; undefined where nothing is due, and where the service refuses the request anyway.
 * @throws what the service refuses for good, DEPENDENCY_UNAVAILABLE
 */
export async function quotedFor(peers: Peers, found: Found, { agent }: Identity, body: Buffer | undefined): Promise<Due | undefined> {
  const { service, endpoint } = found
  const request = parsed(body)
  if (!isFunding(service) || !endpoint.quote || !endpoint.body?.safeParse(request).success) return undefined
  const declared = (apis[service].internal as unknown as Record<string, QuoteEndpoint>)[endpoint.quote]!
  const caller = agent ? { agentId: agent.agentId, wallet: agent.wallet } : null
  const { quote, refusal } = await peers.call(service, declared, { body: { request, caller } })
  if (!quote) return undefined
  const refused = refusal ? new Refusal(refusal.code as Refusal['code'], { message: refusal.message, details: refusal.details ?? {} }) : undefined
  return {
    route: `POST ${endpoint.path}`,
    price: BigInt(quote.price),
    description: endpoint.summary,
    fund: { ...quote, service, refusal: refused },
  }
}

const isFunding = (service: ServiceName): service is Funding['service'] => service === 'escrow' || service === 'domains'

function parsed(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(body?.toString() ?? '')
  } catch {
    return undefined
  }
}
