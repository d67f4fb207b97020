import type { IncomingMessage } from 'node:http'
import type { Found } from '@carapace/api'
import type { Identity } from '../identity/identify.ts'
import type { PipeCall } from '../proxy/pipe.ts'
import type { Target } from '../request/request.ts'
import { copyInto } from './cached-answer.ts'
import type { MicroCache, Place, Written } from './micro-cache.ts'

/** Who sends one of these acts for somebody, pays, or wants an answer that is made for this request. */
const bypassing = [
  'x-agent-id',
  'x-wallet-address',
  'x-admin-wallet',
  'x-admin-key',
  'signature',
  'signature-input',
  'authorization',
  'cookie',
  'x-payment',
  'payment-signature',
  'cache-control',
  'pragma',
] as const
/** Headers are the client's to choose: longer ones are not worth their place. */
const longestHeader = 256
const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The place of a request's answer; undefined for a request that bypasses the cache: it is neither answered from it nor stored. */
export function placeOf({ method, headers }: IncomingMessage, found: Found, { path, query }: Target): Place | undefined {
  if (!found.endpoint.cacheable || bypassing.some(name => headers[name] !== undefined)) return undefined
  const { accept = '', 'accept-encoding': encoding = '' } = headers
  if (accept.length > longestHeader || String(encoding).length > longestHeader) return undefined
  return { key: `${method} ${path}${query}\n${accept}\n${encoding}`, service: found.service, record: recordOf(found) }
}

/** The aggregate that a path names by its id at the end, where the answer is no list of what belongs to it, and no page, which shows records of several services. */
function recordOf({ path, params, endpoint, service }: Found): string | undefined {
  if (service === 'gateway') return undefined
  const last = path.slice(path.lastIndexOf('/') + 1)
  const id = last.startsWith(':') && !('limit' in endpoint.query.shape) ? params[last.slice(1)] : undefined
  return id !== undefined && uuid.test(id) ? id.toLowerCase() : undefined
}

/** What a write may have changed: its service's own records, those that its path or body names, and its caller. Operators may change more. */
export function writtenBy(found: Found, { agent, admin }: Identity, body: Buffer | undefined): Written {
  if (admin || found.service === 'gateway') return 'everything'
  const named = body?.toString('latin1').match(uuids) ?? []
  const ids = [...Object.values(found.params), ...named, ...(agent ? [agent.agentId] : [])]
  return { service: found.service, ids: new Set(ids.map(id => id.toLowerCase())) }
}

/** What the cache has to do with a request that a service answers. */
export interface Caching {
  cache: MicroCache
  /** Of its answer; undefined where it is not stored. */
  place: Place | undefined
  /** What it may change; undefined for a read. */
  written: Written | undefined
}

/**
 * Sends a request to its service. Before a write is answered what it has changed is no longer stored: its writer reads its own writes. So it is when
 * there is no answer: the service may have done it all the same.
 */
export async function sendThroughCache({ cache, place, written }: Caching, send: (parts: Pick<PipeCall, 'copy' | 'onAnswer'>) => Promise<void>) {
  if (!written) return send(place ? { copy: copyInto(cache.fill(place)) } : {})
  const drop = () => cache.drop(written)
  try {
    await send({ onAnswer: drop })
  } catch (error) {
    drop()
    throw error
  }
}
