import { type IncomingHttpHeaders, type IncomingMessage, request as overHttp, type Server } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Found } from '@carapace/api'
import { requestIdHeader } from '@carapace/service'
import { ClientDisconnected, type Peer } from '../request/request.ts'

/** A request that speaks another protocol and whose answer is made of calls of the API. */
export interface Outer {
  request: IncomingMessage
  body: Buffer
  route: Found
  /** Where it comes from. */
  peer: Peer
  requestId: string
  traceparent: string
  /** Counts it as a read of its address, where it calls nothing that is counted itself. @throws RATE_LIMITED */
  count(): Promise<void>
  /** Aborted when its client disconnects. */
  signal: AbortSignal
}

export interface InsideCall {
  method: string
  /** Path and query. */
  target: string
  headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  body?: unknown
}

export interface InsideAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface Inside {
  /** Sends a call of the API through the whole door, on behalf of the caller of an outer request. Any status is an answer. */
  call(outer: Outer, call: InsideCall): Promise<InsideAnswer>
  /** The outer request that a request was made for; undefined for one from outside. */
  outerOf(request: IncomingMessage): Outer | undefined
}

/** The headers by which the caller of an outer request is known. A signature is of the outer request and is checked against that. */
const identityHeaders = ['host', 'x-agent-id', 'x-wallet-address', 'signature-input', 'signature']

/**
 * The door as a function: a call enters the server on a connection in memory, so that it passes the same steps as one from outside. Whose call it is
 * follows from that connection, which nobody outside can have.
 */
export function insideDoor(server: Server): Inside {
  const outers = new WeakMap<Duplex, Outer>()
  return {
    outerOf: ({ socket }) => outers.get(socket),
    call: (outer, { method, target, headers = {}, body }) =>
      new Promise((resolve, reject) => {
        if (outer.signal.aborted) return reject(new ClientDisconnected())
        const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
        const [near, far] = connected()
        outers.set(far, outer)
        server.emit('connection', far)
        const sent = overHttp(
          {
            method,
            path: target,
            createConnection: () => near,
            signal: outer.signal,
            headers: {
              ...callerHeaders(outer.request.headers),
              [requestIdHeader]: outer.requestId,
              traceparent: outer.traceparent,
              accept: 'application/json',
              ...(bytes ? { 'content-type': 'application/json', 'content-length': bytes.length } : {}),
              ...headers,
            },
          },
          response =>
            void buffer(response).then(whole => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: whole }), reject),
        )
        sent.on('error', reject)
        sent.end(bytes)
      }),
  }
}

/** Both ends of a connection in memory: as on one of the network, each sees that the other has left. */
function connected(): [Duplex, Duplex] {
  const [near, far] = duplexPair()
  near.once('close', () => far.destroy())
  far.once('close', () => near.destroy())
  return [near, far]
}

const callerHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(identityHeaders.flatMap(name => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])))
