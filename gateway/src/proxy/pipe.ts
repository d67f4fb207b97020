import type { ServerResponse } from 'node:http'
import { Refusal } from '@carapace/api'
import { maySendAgain, pauseBeforeTry } from '@carapace/service'
import type { Dispatcher, Pool } from 'undici'
import { ClientDisconnected } from '../door/body.ts'
import type { RawHeaders } from '../door/headers.ts'
import { answerHeaders } from './forwarded.ts'

export interface PipeCall {
  method: string
  /** Path and query, as the client sent them. */
  path: string
  headers: RawHeaders
  body: Buffer | undefined
  timeoutMs: number
  /** Put before the upstream's own headers in the answer. */
  own: RawHeaders
}

/** A service that restarts is back within this time; what may be sent again waits for it. */
const restartMs = 3_000

/**
 * Sends a request to a service and its answer to the client, byte by byte with backpressure. For 3 s a GET is sent again on another connection when
 * one breaks before its answer; a write only while no connection is made, so that no byte of it was sent.
 * Resolves when the answer is out, or was cut after its head had been sent.
 * @param poolOf called for each attempt: the service may be back at another address
 * @throws DEPENDENCY_UNAVAILABLE, TIMEOUT while nothing was sent; ClientGone
 */
export function pipe(poolOf: () => Pool, call: PipeCall, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = performance.now() + call.timeoutMs
    const isRead = call.method === 'GET' || call.method === 'HEAD'
    let failures = 0
    let retryUntil: number | undefined
    const attempt = () =>
      send(poolOf(), { ...call, timeoutMs: end - performance.now() }, response, error => {
        if (error === undefined) return resolve()
        const now = performance.now()
        retryUntil ??= Math.min(end, now + restartMs)
        if (!maySendAgain(isRead, error) || now >= retryUntil) return reject(asRefusal(error, failures > 0))
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
        head = { status, headers: answerHeaders(call.own, started.rawHeaders as Buffer[]), length: Number(headers['content-length'] ?? -1) }
      },
      onResponseData: (started, chunk) => {
        // an answer that is here whole goes out with its head in one write; two would cost twice as much
        if (!response.headersSent && chunk.length === head!.length) {
          whole = chunk
          return
        }
        if (!response.headersSent) {
          clearTimeout(timer)
          response.writeHead(head!.status, head!.headers)
        }
        if (response.write(chunk)) return
        started.pause()
        response.once('drain', () => started.resume())
      },
      onResponseEnd: () => {
        if (over) return
        finish()
        if (!response.headersSent) response.writeHead(head!.status, head!.headers)
        if (whole) response.end(whole.toString('latin1'), 'latin1')
        else response.end()
      },
      onResponseError: (_started, error) => {
        if (over) return
        if (!response.headersSent) finish(error)
        else {
          // the head is out: the client sees by the length that something is missing
          finish()
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
