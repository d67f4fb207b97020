import type { Request, Response } from 'express'
import type { Outer } from '../inside/inside.ts'
import type { Protocol } from '../protocols.ts'
import { type RateLimits, rateHeaders } from '../rate/limits.ts'
import type { RawHeaders } from '../request/headers.ts'
import type { CrossOrigin } from './cross-origin.ts'

interface Spoken extends Pick<Outer, 'route' | 'peer' | 'requestId' | 'traceparent'> {
  request: Request
  response: Response
  body: () => Promise<Buffer | undefined>
  /** Of the answer. */
  headers: RawHeaders
}

const adminHeaders = ['x-admin-wallet', 'x-admin-key']

/** Answers a request of another protocol: the calls that it makes of the API pass the whole door, each as itself. */
export async function speak(
  protocol: Protocol,
  spoken: Spoken,
  { crossOrigin, rates }: { crossOrigin: CrossOrigin; rates: RateLimits },
): Promise<void> {
  const { request, response, route, peer, requestId, traceparent, headers } = spoken
  crossOrigin.check(request, route)
  // operators have their own routes: their keys are neither needed nor tried here
  for (const name of adminHeaders) delete request.headers[name]
  // written to after its client has left
  response.on('error', () => {})
  const disconnected = new AbortController()
  response.on('close', () => disconnected.abort())
  const count = async () => {
    headers.push(...rateHeaders(await rates.byAddress(route, peer.ip)))
  }
  const body = (await spoken.body()) ?? Buffer.alloc(0)
  await protocol({ request, route, peer, body, requestId, traceparent, count, signal: disconnected.signal }, response, headers)
}
