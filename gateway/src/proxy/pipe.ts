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
export async function pipe(pool: Pool, call: PipeCall, response: ServerResponse): Promise<void> {
  const safe = call.method === 'GET' || call.method === 'HEAD'
  try {
    await once(pool, call, response)
  } catch (error) {
    if (!safe || !isBroken(error) || response.headersSent) throw asRefusal(error)
    await once(pool, call, response).catch((again: unknown) => {
      throw asRefusal(again)
    })
  }
}

function once(pool: Pool, call: PipeCall, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let over = false
    const gone = () => {
      if (!response.writableFinished) end(new ClientGone())
    }
    const timer = setTimeout(() => end(new Refusal('TIMEOUT')), call.timeoutMs)
    const end = (error: Error) => {
      finish()
      reject(error)
      controller?.abort(error)
    }
    const finish = () => {
      over = true
      clearTimeout(timer)
      response.off('close', gone)
    }
    response.on('close', gone)

    pool.dispatch(
      { method: call.method as Dispatcher.HttpMethod, path: call.path, headers: call.headers, body: call.body ?? null },
      {
        onRequestStart: started => {
          controller = started
          // it waited for a connection until nobody wanted it any more
          if (over) started.abort(new ClientGone())
        },
        onResponseStart: (started, status) => {
          if (status < 200) return
          clearTimeout(timer)
          response.writeHead(status, answerHeaders(call.own, started.rawHeaders as Buffer[]))
        },
        onResponseData: (started, chunk) => {
          if (response.write(chunk)) return
          started.pause()
          response.once('drain', () => started.resume())
        },
        onResponseEnd: () => {
          finish()
          response.end()
          resolve()
        },
        onResponseError: (_started, error) => {
          if (over) return
          finish()
          // the head is out: the client sees by the length that something is missing
          if (response.headersSent) {
            response.destroy()
            resolve()
          } else reject(error)
        },
      },
    )
  })
}

const brokenCodes = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ECONNREFUSED'])
const isBroken = (error: unknown): boolean => error instanceof Error && 'code' in error && brokenCodes.has(String(error.code))

function asRefusal(error: unknown): unknown {
  if (error instanceof Refusal || error instanceof ClientGone) return error
  return new Refusal('DEPENDENCY_UNAVAILABLE', { retryAfter: 2 })
}
