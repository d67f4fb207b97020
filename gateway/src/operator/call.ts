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

/** What a call changes: its body, and the key by which a repeated call is the same one. */
export interface Change {
  body: object
  key: string
}

const timeoutMs = 15_000

/** Calls an endpoint as the door does for an admin. @throws DEPENDENCY_UNAVAILABLE */
export async function callAs(
  { admin, signedBy, ip }: Operator,
  service: ServiceName,
  { method }: Pick<AnyEndpoint, 'method'>,
  path: string,
  { originOf, internalKey }: CallParts,
  change?: Change,
): Promise<ServiceAnswer> {
  const optional = { ...(signedBy ? { signedBy } : {}), ...(change ? { idempotencyKey: change.key } : {}) }
  const context: RequestContext = { mode: signedBy ? 'signed' : 'plain', admin, ip, expires: expiry(), ...optional }
  const response = await fetch(originOf(service) + path, {
    method: method.toUpperCase(),
    headers: { ...callHeaders(context, internalKey), ...(change ? { 'content-type': 'application/json' } : {}) },
    ...(change ? { body: JSON.stringify(change.body) } : {}),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => refuse('DEPENDENCY_UNAVAILABLE', { service }))
  return { status: response.status, body: await response.json().catch(() => refuse('DEPENDENCY_UNAVAILABLE', { service })) }
}
