import { Agent, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { Refusal } from '@carapace/api'
import { createProxyMiddleware } from 'http-proxy-middleware'
import type { RawHeaders } from '../request/headers.ts'
import { ClientDisconnected } from '../request/request.ts'
import { answerHeaders } from './forwarded.ts'

export interface StreamCall {
  /** The service's base URL. */
  origin: string
  headers: RawHeaders
  /** Put before the upstream's own headers in the answer. */
  own: RawHeaders
  /** For the head of the answer; its body has no end. */
  timeoutMs: number
}

export interface Streams {
  /**
   * Resolves when the head of the answer is out; the body follows for as long as both sides want.
   * @throws DEPENDENCY_UNAVAILABLE, TIMEOUT while nothing was sent; ClientDisconnected
   */
  forward(request: IncomingMessage, response: ServerResponse, call: StreamCall): Promise<void>
  /** Ends all that is open: the server could not close otherwise. */
  close(): void
}

interface Running extends StreamCall {
  sent?: ClientRequest
  begun(): void
  failed(error: Error): void
}

/** Answers without an end. They go through http-proxy-middleware; the pipe is for answers that end, and cuts one that is silent (docs/decisions/010). */
export function openStreams(): Streams {
  const running = new WeakMap<IncomingMessage, Running>()
  const open = new Set<ServerResponse>()
  const agent = new Agent({ keepAlive: true })
  const proxy = createProxyMiddleware<IncomingMessage, ServerResponse>({
    target: 'http://127.0.0.1',
    router: request => running.get(request)!.origin,
    agent,
    selfHandleResponse: true,
    on: {
      proxyReq: (outgoing, request) => {
        for (const name of outgoing.getHeaderNames()) if (name !== 'host') outgoing.removeHeader(name)
        const { headers } = Object.assign(running.get(request)!, { sent: outgoing })
        for (let i = 0; i < headers.length; i += 2) outgoing.setHeader(headers[i]!, headers[i + 1]!)
      },
      proxyRes: (incoming, request, response) => {
        const { own, begun } = running.get(request)!
        // the client has got a refusal, or has left
        if (response.headersSent || response.destroyed) return void incoming.destroy()
        const upstream = incoming.rawHeaders.map(text => Buffer.from(text, 'latin1'))
        response.writeHead(incoming.statusCode ?? 502, [...own, ...answerHeaders(upstream)])
        response.flushHeaders()
        open.add(response)
        begun()
        // either side may leave at any time
        pipeline(incoming, response)
          .catch(() => undefined)
          .finally(() => open.delete(response))
      },
      error: (error, request) => running.get(request)?.failed(error),
    },
  })

  return {
    forward: (request, response, call) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          running.get(request)?.sent?.destroy()
          reject(new Refusal('TIMEOUT'))
        }, call.timeoutMs)
        const over = (settle: () => void) => () => {
          clearTimeout(timer)
          settle()
        }
        response.once(
          'close',
          over(() => reject(new ClientDisconnected())),
        )
        const failed = over(() => reject(new Refusal('DEPENDENCY_UNAVAILABLE', { retryAfter: 2 })))
        running.set(request, { ...call, begun: over(resolve), failed })
        proxy(request, response).catch(failed)
      }),
    close: () => {
      for (const response of open) response.end()
      agent.destroy()
    },
  }
}
