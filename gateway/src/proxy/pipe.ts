import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { Refusal, type ServiceName } from '@carapace/api'
import { greetedConnections, maySendAgain, pauseBeforeTry } from '@carapace/service'
import { type Dispatcher, Pool } from 'undici'
import type { RawHeaders } from '../request/headers.ts'
import { ClientDisconnected } from '../request/request.ts'
import { compressed, type encodingFor } from './compress.ts'
import { answerHeaders } from './forwarded.ts'

/** The connections to one address of a service. */
export interface Connections {
  /** For what may be sent again. */
  plain: Pool
  /** For what may not: used once the service has answered on them, which costs a request more for each. */
  greeted: Pool
}

export interface Pools {
  of(service: ServiceName): Connections
  /** The service's base URL. */
  originOf(service: ServiceName): string
  close(): Promise<void>
}

/** A write that waits for the chain holds its connection for up to 10 s: many of one caller must not leave the others without. */
const maxConnections = 512
const connectMs = 5_000
const poolsOf = (to: Connections | undefined): Pool[] => (to ? [to.plain, to.greeted] : [])

/** Keep-alive connections to each service; a new address (a service that was started again) gets new pools. */
export function openPools(address: (service: ServiceName) => string, connections = maxConnections): Pools {
  const pools = new Map<ServiceName, { origin: string; to: Connections }>()
  return {
    of: service => {
      const origin = address(service)
      const present = pools.get(service)
      if (present?.origin === origin) return present.to
      // a pool whose address is no longer used ends what runs on it, then closes by itself
      for (const pool of poolsOf(present?.to)) pool.close().catch(() => {})
      const options = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 15_000 }
      const to = {
        plain: new Pool(origin, { ...options, connectTimeout: connectMs }),
        greeted: new Pool(origin, { ...options, ...greetedConnections(connectMs) }),
      }
      pools.set(service, { origin, to })
      return to
    },
    originOf: address,
    close: async () => {
      await Promise.all([...pools.values()].flatMap(({ to }) => poolsOf(to)).map(pool => pool.destroy()))
    },
  }
}

export interface PipeCall {
  method: string
  /** Path and query, as the client sent them. */
  path: string
  headers: RawHeaders
  body: Buffer | undefined
  /** It may reach the service twice: a read, or a write that happens once however often it is sent. */
  mayRepeat: boolean
  timeoutMs: number
  /** Put before the upstream's own headers in the answer. */
  own: RawHeaders
  /** What the client accepts; undefined: nothing but the bytes as they are. */
  encoding?: ReturnType<typeof encodingFor>
  /** Gets the body as the service sends it. */
  onData?: ((chunk: Buffer) => void) | undefined
  /** Called when the service has answered, before anything of it goes out. */
  onAnswer?: (() => void) | undefined
  /** Gets the answer as it goes out. */
  copy?: AnswerSink | undefined
  /** An answer of this status is not sent on: `pipe` throws it. */
  caught?: number
}

/** What wants an answer too, without `own`. */
export interface AnswerSink {
  begin(status: number, headers: RawHeaders): void
  add(chunk: Buffer): void
  /** Of one that was cut not `whole`; may be called again. */
  end(whole: boolean): void
}

/** An answer that the client did not get. */
export class CaughtAnswer extends Error {
  readonly body: Buffer

  constructor(body: Buffer) {
    super('The answer was not sent on')
    this.body = body
  }
}

/** A service that restarts is back within this time: it lingers for up to 2 s for idle connections, then starts. What may be sent again waits for it. */
const restartMs = 5_000

/**
 * Sends a request to a service and its answer to the client, with backpressure, compressed where the client accepts that. For 5 s a call that may be
 * repeated is sent again on another connection when one breaks before its answer; another one only while the service has accepted no connection, so that
 * no byte of it was sent.
 * Resolves when the answer is out, or was cut after its head had been sent.
 * @param connectionsTo called for each attempt: the service may be back at another address
 * @throws DEPENDENCY_UNAVAILABLE, TIMEOUT while nothing was sent; ClientDisconnected; CaughtAnswer
 */
export function pipe(connectionsTo: () => Connections, call: PipeCall, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = performance.now() + call.timeoutMs
    let failures = 0
    let retryUntil: number | undefined
    const fail = (error: unknown) => {
      call.copy?.end(false)
      reject(error)
    }
    const attempt = () =>
      send(connectionsTo()[call.mayRepeat ? 'plain' : 'greeted'], { ...call, timeoutMs: end - performance.now() }, response, error => {
        if (error === undefined) return resolve()
        if (error instanceof CaughtAnswer) return fail(error)
        const now = performance.now()
        retryUntil ??= Math.min(end, now + restartMs)
        if (!maySendAgain(call.mayRepeat, error) || now >= retryUntil) return fail(asRefusal(error, failures > 0))
        setTimeout(attempt, pauseBeforeTry(failures++))
      })
    attempt()
  })
}

/** One try. `done` is called once: without an error when the answer is out or was cut, with one while nothing was sent. */
function send(pool: Pool, call: PipeCall, response: ServerResponse, done: (error?: Error) => void): void {
  let controller: Dispatcher.DispatchController | undefined
  let over = false
  let head: { status: number; headers: RawHeaders; length: number } | undefined
  let whole: Buffer | undefined
  let caught: Buffer[] | undefined
  let smaller: ReturnType<typeof compressed>
  // a HEAD has the length of the answer that a GET would give, uncompressed
  const mayCompress = call.method !== 'HEAD'

  const finish = (error?: Error) => {
    over = true
    clearTimeout(timer)
    response.off('close', disconnected)
    done(error)
  }
  const stop = (error: Error) => {
    finish(error)
    controller?.abort(error)
  }
  const sendHead = () => {
    clearTimeout(timer)
    response.writeHead(head!.status, head!.headers)
    const compressor = smaller?.compressor
    if (!compressor) return
    if (call.copy) compressor.on('data', call.copy.add)
    // a client that leaves ends both; there is nobody to answer
    pipeline(compressor, response, error => call.copy?.end(!error))
  }
  const disconnected = () => stop(new ClientDisconnected())
  const timer = setTimeout(() => stop(new Refusal('TIMEOUT')), call.timeoutMs)
  response.on('close', disconnected)
  // the client may have disconnected between two attempts
  if (response.destroyed) {
    finish(new ClientDisconnected())
    return
  }

  pool.dispatch(
    { method: call.method as Dispatcher.HttpMethod, path: call.path, headers: call.headers, body: call.body ?? null },
    {
      onRequestStart: started => {
        controller = started
        // the client disconnected while the call waited for a connection
        if (over) started.abort(new ClientDisconnected())
      },
      onResponseStart: (started, status, headers) => {
        if (status < 200) return
        if (status === call.caught) caught = []
        const length = Number(headers['content-length'] ?? -1)
        const given = answerHeaders(started.rawHeaders as Buffer[])
        smaller = mayCompress && status !== 304 ? compressed(given, length, call.encoding) : undefined
        const sent = smaller?.headers ?? given
        call.onAnswer?.()
        call.copy?.begin(status, sent)
        head = { status, headers: [...call.own, ...sent], length }
      },
      onResponseData: (started, chunk) => {
        if (caught) return void caught.push(chunk)
        call.onData?.(chunk)
        // an answer that is here whole goes out with its head in one write; two would cost twice as much
        if (!response.headersSent && chunk.length === head!.length) {
          whole = chunk
          return
        }
        if (!response.headersSent) sendHead()
        if (!smaller) call.copy?.add(chunk)
        const target = smaller?.compressor ?? response
        const isAccepted = target.write(chunk)
        // one without a length comes in parts, and its reader begins with the first
        if (head!.length < 0) smaller?.flush()
        if (isAccepted) return
        started.pause()
        target.once('drain', () => started.resume())
      },
      onResponseEnd: () => {
        if (over) return
        if (caught) return finish(new CaughtAnswer(Buffer.concat(caught)))
        finish()
        if (!response.headersSent) sendHead()
        if (smaller) {
          smaller.compressor.end(whole)
          return
        }
        if (whole) call.copy?.add(whole)
        call.copy?.end(true)
        if (whole) response.end(whole.toString('latin1'), 'latin1')
        else response.end()
      },
      onResponseError: (_started, error) => {
        if (over) return
        if (!response.headersSent) finish(error)
        else {
          // the head is out: the client sees by the length that something is missing
          finish()
          call.copy?.end(false)
          response.destroy()
        }
      },
    },
  )
}

/** @param hasFailed an earlier attempt could not reach the service: a timeout of the last one, which had little time, proves nothing */
function asRefusal(error: unknown, hasFailed: boolean): unknown {
  if (error instanceof ClientDisconnected || (error instanceof Refusal && !hasFailed)) return error
  return new Refusal('DEPENDENCY_UNAVAILABLE', { retryAfter: 2 })
}
