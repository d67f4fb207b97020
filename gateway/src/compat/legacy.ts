import { randomUUID } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { RouteTable } from '@carapace/api'
import { asRefusal, checkBodyHeaders, hasBody, sendFailure } from '@carapace/service'
import type { Request, Response } from 'express'
import type { VerifySignature } from '../identity/signature.ts'
import { ClientDisconnected, readBody, splitTarget } from '../request/request.ts'
import type { Fields } from './fields.ts'
import { type LegacyCall, type LegacyRoute, legacyRoutes } from './table.ts'

interface FoundLegacy {
  route: LegacyRoute
  params: LegacyCall['params']
}

/** What a path has in common with the rows that may be meant; the word after `/api` is no parameter in any of them. Almost every request shares it with none. */
const kindOf = (method: string, parts: string[]): string => `${method} ${parts.length} ${parts[2]}`

const patterns = new Map<string, { route: LegacyRoute; parts: string[] }[]>()
for (const route of legacyRoutes) {
  const [method, path] = route.from.split(' ') as [string, string]
  const parts = path.split('/')
  const kind = kindOf(method, parts)
  patterns.set(kind, [...(patterns.get(kind) ?? []), { route, parts }])
}

type Serve = (request: Request, response: Response) => void
type AgentOf = (request: Request) => Promise<string | undefined>

/**
 * Clients of the older API: a request to one of its paths passes the door as the operation that answers it, and its answer goes out in the older form
 * (behaviour 19). A path of the interface is never one of the older API.
 * @example app.use(withLegacy(door(parts), table, request => namedAgent(request, agents)))
 */
export function withLegacy(serve: Serve, table: RouteTable, agentOf: AgentOf): Serve {
  return (request, response) => {
    const found = legacyIn(request, table)
    if (!found) return serve(request, response)
    translate(request, found, agentOf)
      .then(({ translated, call }) => {
        const { answer } = found.route
        // a preflight is about the request that is to follow
        if (answer && request.method !== 'OPTIONS') transformAnswer(response, (sent, total) => answer(sent, call, total), request.method === 'HEAD')
        serve(translated, response)
      })
      .catch((error: unknown) => {
        if (error instanceof ClientDisconnected) response.destroy()
        else sendFailure(request, response, asRefusal(error), randomUUID())
      })
  }
}

/** Requests as they were sent, by what they were translated to. */
const sentAs = new WeakMap<IncomingMessage, { request: IncomingMessage; body: Buffer | undefined }>()

/** What a client of the older API signs is its own request: the older path, and the body as it sent it. */
export const verifierOfSent =
  (verify: VerifySignature): VerifySignature =>
  (request, body, expected) => {
    const sent = sentAs.get(request)
    if (!sent) return verify(request, body, expected)
    const contractChain = async (wallet: string) => expected.contractChain(wallet, await body())
    return verify(sent.request, async () => sent.body, { ...expected, contractChain })
  }

function legacyIn(request: Request, table: RouteTable): FoundLegacy | undefined {
  const end = request.url.search(/[?#]/)
  const path = end < 0 ? request.url : request.url.slice(0, end)
  const method = methodOf(request)
  const found = findLegacy(method, path)
  return found && !('endpoint' in table.match(method, path)) ? found : undefined
}

const preflighted = 'access-control-request-method'

/** Of the row: HEAD is as GET, a preflight as what it prepares. */
function methodOf({ method, headers }: Request): string {
  if (method === 'HEAD') return 'GET'
  return method === 'OPTIONS' ? String(headers[preflighted] ?? '') : method
}

/** The row of the older API that a request names; undefined for all others. */
function findLegacy(method: string, path: string): FoundLegacy | undefined {
  const sent = (path.endsWith('/') ? path.slice(0, -1) : path).split('/')
  for (const { route, parts } of patterns.get(kindOf(method, sent)) ?? []) {
    if (parts.every((part, n) => part.startsWith(':') || part === sent[n]))
      return { route, params: Object.fromEntries(parts.flatMap((part, n) => (part.startsWith(':') ? [[part.slice(1), sent[n]!]] : []))) }
  }
  return undefined
}

/** The request as it would be sent to the interface. @throws what a request is refused for whose body cannot be read */
async function translate(request: Request, { route, params }: FoundLegacy, agentOf: AgentOf): Promise<{ translated: Request; call: LegacyCall }> {
  const { query: text } = splitTarget(request.url)
  const query = new URLSearchParams(text)
  const call: LegacyCall = { params, query, agentId: () => agentOf(request) }
  const [method, path] = route.to.split(' ') as [string, string]
  const all: Record<string, string> = { ...params, ...(await route.params?.(call)) }
  const target = path.replace(/:(\w+)/g, (_, name: string) => all[name]!)
  const fixed = route.query ?? {}
  const wanted = new URLSearchParams([...[...query].filter(([name]) => !Object.hasOwn(fixed, name)), ...Object.entries(fixed)])
  const { 'accept-encoding': _, 'if-none-match': __, ...headers } = request.headers
  checkBodyHeaders(request)
  const sent = hasBody(request) ? await readBody(request) : undefined
  const body = bodyOf(sent, route, call)
  if (body) {
    delete headers['transfer-encoding']
    headers['content-length'] = String(body.byteLength)
  }
  const search = wanted.size > 0 ? `?${wanted}` : ''
  const { rawHeaders, httpVersion, socket, ip } = request
  const stream = Readable.from(body ? [body] : [])
  if (request.method === 'OPTIONS') headers[preflighted] = method
  const line = {
    method: ['HEAD', 'OPTIONS'].includes(request.method) ? request.method : method,
    url: target + search,
    headers,
    rawHeaders,
    httpVersion,
    socket,
    ip,
    complete: true,
  }
  const translated = Object.assign(stream, line) as unknown as Request
  sentAs.set(translated, { request, body: sent })
  return { translated, call }
}

/** Text that is no object of JSON goes on as it is: the service refuses it. */
function bodyOf(sent: Buffer | undefined, { body, to }: FoundLegacy['route'], call: LegacyCall): Buffer | undefined {
  if (to.startsWith('GET ') || !body) return sent
  const given = parsed(sent)
  return given ? Buffer.from(JSON.stringify(body(given, call))) : sent
}

function parsed(sent: Buffer | undefined): Fields | undefined {
  try {
    const value: unknown = JSON.parse(sent?.toString() || '{}')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
  } catch {
    return undefined
  }
}

/** Holds the answer back until it is whole, and sends it in the older form where it is a success; to HEAD its head alone. */
function transformAnswer(response: Response, transform: (answer: Fields, total: number) => unknown, isEmpty: boolean): void {
  const [writeHead, end] = [response.writeHead.bind(response), response.end.bind(response)]
  const parts: Buffer[] = []
  let head: [status: number, headers: OutgoingHttpHeaders | readonly string[]] | undefined
  const add = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk === 'string') parts.push(Buffer.from(chunk, encoding as BufferEncoding))
    else if (Buffer.isBuffer(chunk)) parts.push(chunk)
  }
  const held = {
    writeHead: (status: number, headers: OutgoingHttpHeaders | readonly string[] = {}) => {
      response.statusCode = status
      head = [status, headers]
      return response
    },
    write: (chunk: unknown, encoding: unknown) => {
      add(chunk, encoding)
      return true
    },
    end: (chunk?: unknown, encoding?: unknown) => {
      add(chunk, encoding)
      head ??= [response.statusCode, {}]
      const [status, given] = head
      const headers = pairsOf(given).filter(([name]) => !['content-length', 'etag', 'transfer-encoding'].includes(name))
      if (isEmpty) {
        writeHead(status, headers.flat())
        return end()
      }
      const total = Number(headers.find(([name]) => name === 'x-total-count')?.[1] ?? 0)
      const whole = Buffer.concat(parts)
      const body = status < 300 ? Buffer.from(JSON.stringify(transform(JSON.parse(whole.toString()), total))) : whole
      writeHead(status, [...headers, ['content-length', String(body.byteLength)]].flat())
      return end(body)
    },
  }
  Object.assign(response, held)
  // for those who answer, what is held back is sent
  Object.defineProperty(response, 'headersSent', { get: () => head !== undefined })
}

/** A list is that of the wire: a name may be in it several times. */
function pairsOf(headers: OutgoingHttpHeaders | readonly string[]): [name: string, value: string][] {
  if (!Array.isArray(headers)) return Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])
  return Array.from({ length: headers.length / 2 }, (_, n) => [headers[2 * n]!.toLowerCase(), headers[2 * n + 1]!])
}
