import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { hasBody } from '@carapace/service'
import { authorityOf, splitTarget } from '../request/request.ts'
import { invalid, type SignatureInput } from './signature-input.ts'

/** The text that was signed: one line for each covered component (RFC 9421, section 2.5). @throws SIGNATURE_INVALID when one must be covered and is not */
export function signatureBase(request: IncomingMessage, input: SignatureInput, protocol: string): string {
  const { path, query } = splitTarget(request.url ?? '/')
  const derived: Record<string, string | undefined> = {
    '@authority': authorityOf(request.headers.host ?? '', protocol),
    '@method': request.method,
    '@path': path,
    '@query': query || '?',
  }
  for (const needed of required(request, query)) if (!input.components.includes(needed)) throw invalid(`The signature must cover ${needed}`)

  const lines = input.components.map(component => {
    const value = component.startsWith('@') ? derived[component] : headerValue(request, component)
    if (value === undefined) throw invalid(`${component} is covered, but is not part of the request`)
    return `"${component}": ${value}`
  })
  return [...lines, `"@signature-params": ${input.params}`].join('\n')
}

/** The digest header belongs to these bytes. @throws SIGNATURE_INVALID */
export function checkDigest(request: IncomingMessage, body: Buffer | undefined): void {
  const header = request.headers['content-digest']
  if (header === undefined) return
  const sent = typeof header === 'string' ? /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]+={0,2}):\s*(?:,|$)/.exec(header) : null
  const right = createHash('sha256')
    .update(body ?? '')
    .digest()
  const given = Buffer.from(sent?.[1] ?? '', 'base64')
  if (given.length !== right.length || !timingSafeEqual(given, right)) throw invalid('content-digest is not the SHA-256 of the body')
}

/** Identity headers need no cover: they can only repeat whose key signed. Nor does a query without content, which browsers send and clients do not see. */
function required(request: IncomingMessage, query: string): string[] {
  return ['@authority', '@method', '@path', ...(query.length > 1 ? ['@query'] : []), ...(hasBody(request) ? ['content-digest'] : [])]
}

function headerValue({ headers }: IncomingMessage, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  return Array.isArray(value) ? value.map(part => part.trim()).join(', ') : value?.trim()
}
