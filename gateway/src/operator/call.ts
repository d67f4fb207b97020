import { type AdminCaller, type AnyEndpoint, refuse, type ServiceName } from '@carapace/api'
import { callHeaders, expiry, type RequestContext } from '@carapace/service'

export interface CallParts {
  originOf(service: ServiceName): string
  internalKey: string
}

/** Who an operator's call is made for. */
export interface Operator {
  admin: AdminCaller
  /** Wallet whose signature of this act was checked. */
  signedBy?: string
  ip: string
}

export interface ServiceAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of all services
  body: any
}

const timeoutMs = 15_000

/** Calls an endpoint as the door does for an admin. @throws DEPENDENCY_UNAVAILABLE */
export async function callAs(
  { admin, signedBy, ip }: Operator,
  service: ServiceName,
  { method }: Pick<AnyEndpoint, 'method'>,
  path: string,
  { originOf, internalKey }: CallParts,
  body?: object,
): Promise<ServiceAnswer> {
  const context: RequestContext = { mode: signedBy ? 'signed' : 'plain', admin, ip, expires: expiry(), ...(signedBy ? { signedBy } : {}) }
  const response = await fetch(originOf(service) + path, {
    method: method.toUpperCase(),
    headers: { ...callHeaders(context, internalKey), ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => refuse('DEPENDENCY_UNAVAILABLE', { service }))
  return { status: response.status, body: await response.json().catch(() => refuse('DEPENDENCY_UNAVAILABLE', { service })) }
}
