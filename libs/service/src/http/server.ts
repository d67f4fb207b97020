import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http'
import { type AddressInfo, Server as Listener } from 'node:net'
import express, { type Express } from 'express'
import { isGreeting } from '../peers/greeted-connections.ts'

const idleMs = 50
/** undici, which calls our services (libs/service/src/peers, gateway/src/proxy), uses a connection no more when 2 s less than the announced time are left: one second after its last answer. */
const serviceKeepAliveMs = 3_000

/**
 * An Express app whose requests are born with Express's prototypes. Express otherwise changes the prototype of every request and
 * response, which costs four fifths of the throughput (docs/decisions). Mount Routers, never other apps.
 * @param keepAliveTimeout how long an idle connection stays open, ms; it is announced to clients. Default: for a service, so short that `closeServer`
 * can wait until none of them may still write on it
 */
export function fastExpress(keepAliveTimeout = serviceKeepAliveMs): { app: Express; server: Server } {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  adopt(Request.prototype, app.request, express.request)
  adopt(Response.prototype, app.response, express.response)
  app.request = Request.prototype as unknown as Express['request']
  app.response = Response.prototype as unknown as Express['response']
  // node would answer a request without Host by itself, with no body
  const options = { keepAliveTimeout, requestTimeout: 60_000, requireHostHeader: false }
  const server = createServer({ IncomingMessage: Request, ServerResponse: Response, ...options }, app)
  return { app, server }
}

function adopt(target: object, ...sources: object[]): void {
  for (const source of sources.reverse()) {
    for (const name of Reflect.ownKeys(source))
      Object.defineProperty(target, name, { ...Object.getOwnPropertyDescriptor(source, name), configurable: true })
  }
}

/** Resolves with the base URL once it listens. Port 0 means a free one. */
export function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') error.message += ': another process has this port; set PORT to a free one'
      reject(error)
    })
    server.listen(port, host, () => {
      const address = server.address() as AddressInfo
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${address.port}`)
    })
  })
}

/** From now on each answer but that to a greeting ends its connection: clients go elsewhere before `closeServer`. What comes is still served. */
export function drainServer(server: Server): void {
  server.prependListener('request', (request, response) => {
    response.shouldKeepAlive &&= isGreeting(request)
  })
}

/**
 * Stops accepting, lets running requests end for up to `graceMs`, then cuts them.
 * @param lingerMs so long idle connections are still served: a client may be writing on one, and could not send a write again. It ends early with the last of them
 */
export function closeServer(server: Server, graceMs: number, lingerMs = 0): Promise<void> {
  return new Promise(resolve => {
    let idle: NodeJS.Timeout | undefined
    const cut = setTimeout(() => server.closeAllConnections(), graceMs)
    const linger = setTimeout(() => {
      server.closeIdleConnections()
      // a connection that is kept alive becomes idle only when its last answer is out
      idle = setInterval(() => server.closeIdleConnections(), idleMs)
    }, lingerMs)
    // Of the listener alone: the server's own would close idle connections.
    const close = () =>
      Listener.prototype.close.call(server, () => {
        for (const timer of [cut, linger, idle]) clearTimeout(timer)
        // ends the server's own timers
        server.close()
        resolve()
      })
    // Connections that are made and not yet accepted would be reset, with the writes on them. Right after a poll of the event loop there are none; the
    // first immediate may follow one that began long ago.
    setImmediate(() => setImmediate(close))
  })
}
