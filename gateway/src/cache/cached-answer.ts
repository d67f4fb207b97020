import type { IncomingMessage, ServerResponse } from 'node:http'
import { matchesEtag } from '@carapace/service'
import type { AnswerSink } from '../proxy/pipe.ts'
import { headerIn, type RawHeaders } from '../request/headers.ts'
import type { CachedAnswer, Filling } from './micro-cache.ts'

/** Sends an answer of the cache. `own`: the headers of this request. */
export const sendCached = (request: IncomingMessage, response: ServerResponse, answer: CachedAnswer, own: RawHeaders): void =>
  sendReady(request, response, answer, [...own, ...age])

/** Sends an answer that is made already, or 304 to a client that has it. */
export function sendReady(request: IncomingMessage, response: ServerResponse, { headers, etag, body }: CachedAnswer, own: RawHeaders): void {
  if (etag !== undefined && matchesEtag(request.headers['if-none-match'], etag)) {
    response.writeHead(304, [...own, ...headers.filter((_, i) => !headers[i - (i % 2)]!.startsWith('content-'))])
    response.end()
    return
  }
  response.writeHead(200, [...own, ...headers])
  response.end(body, 'latin1')
}

/** It is in seconds, and none of ours is a whole one old (RFC 9111, 5.1). */
const age = ['age', '0']

/** Stores an answer of 200 that any client of the same Accept may have. */
export function copyInto(filling: Filling): AnswerSink {
  let head: RawHeaders | undefined
  let length = 0
  return {
    begin: (status, headers) => {
      if (status === 200 && isForAll(headers)) head = headers
      else filling.end()
    },
    add: chunk => {
      length += chunk.length
      filling.add(chunk)
    },
    end: whole => {
      if (!whole || !head) return filling.end()
      // one that was compressed on its way had no length yet
      const isMeasured = length === 0 || headerIn(head, 'content-length') !== undefined
      filling.end({ headers: isMeasured ? head : [...head, 'content-length', String(length)], etag: headerIn(head, 'etag') })
    },
  }
}

const keyed = new Set(['', 'accept', 'accept-encoding'])

/** Whether the answer allows it to be sent again for a second, and depends on nothing but what the key of its place holds. */
function isForAll(headers: RawHeaders): boolean {
  const control = headerIn(headers, 'cache-control') ?? ''
  const varies = (headerIn(headers, 'vary') ?? '').toLowerCase().split(',')
  return /\bpublic\b/.test(control) && /\bmax-age=[1-9]/.test(control) && varies.every(name => keyed.has(name.trim()))
}
