import type { ServerResponse } from 'node:http'
import { Refusal } from '@carapace/api'
import type { Dispatcher, Pool } from 'undici'
import { ClientGone } from '../door/body.ts'
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

/**
 * Sends a request to a service and its answer to the client, byte by byte with backpressure. A GET is tried once more on a broken connection.
 * Resolves when the answer is out, or was cut after its head had been sent.
 * @throws DEPENDENCY_UNAVAILABLE, TIMEOUT while nothing was sent; ClientGone
 */
export function pipe(pool: Pool, call: PipeCall, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    let triesLeft = call.method === 'GET' || call.method === 'HEAD' ? 1 : 0
    const attempt = () =>
      send(pool, call, response, error => {
        if (error === undefined) resolve()
        else if (triesLeft-- > 0 && isBroken(error)) attempt()
        else reject(asRefusal(error))
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
    response.off('close', gone)
    done(error)
  }
  const stop = (error: Error) => {
    finish(error)
    controller?.abort(error)
  }
  const gone = () => stop(new ClientGone())
  const timer = setTimeout(() => stop(new Refusal('TIMEOUT')), call.timeoutMs)
  response.on('close', gone)

  pool.dispatch(
    { method: call.method as Dispatcher.HttpMethod, path: call.path, headers: call.headers, body: call.body ?? null },
    {
      onRequestStart: started => {
        controller = started
        // it waited for a connection until nobody wanted it any more
        if (over) started.abort(new ClientGone())
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

const brokenCodes = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ECONNREFUSED'])
const isBroken = (error: unknown): boolean => error instanceof Error && 'code' in error && brokenCodes.has(String(error.code))

function asRefusal(error: unknown): unknown {
  if (error instanceof Refusal || error instanceof ClientGone) return error
  return new Refusal('DEPENDENCY_UNAVAILABLE', { retryAfter: 2 })
}
