import type { IncomingMessage } from 'node:http'
import { errors, refuse } from '@carapace/api'
import { type Metrics, metricsType, type ReadinessParts, readiness } from '@carapace/service'
import type { Request, Response } from 'express'
import { sendReady } from '../cache/cached-answer.ts'
import type { CachedAnswer } from '../cache/micro-cache.ts'
import { sameSecret } from '../identity/admin-caller.ts'
import { sendSmaller } from '../proxy/compress.ts'
import type { RawHeaders } from '../request/headers.ts'
import { hostName, isLoopback, peerOf } from '../request/request.ts'
import type { Asset } from '../web/assets.ts'

export interface LocalParts {
  assets: ReadonlyMap<string, Asset>
  readiness: ReadinessParts
  metrics: Metrics
  metricsToken: string | undefined
  trustsProxies: boolean
}

/** Whether the door answers this path by itself, without limits: health, metrics, files. */
export const isLocal = (path: string, { assets }: Pick<LocalParts, 'assets'>): boolean =>
  path === '/healthz' || path === '/readyz' || path === '/metrics' || assets.has(path)

/** @throws METHOD_NOT_ALLOWED, ROUTE_NOT_FOUND for metrics to strangers */
export async function answerLocally(request: Request, response: Response, path: string, headers: RawHeaders, parts: LocalParts): Promise<void> {
  const asset = parts.assets.get(path)
  if (request.method !== 'GET' && request.method !== 'HEAD') refuse('METHOD_NOT_ALLOWED', { allow: ['GET', 'HEAD'] })
  const answer = (status: number, body: unknown, own: Record<string, string>) =>
    sendSmaller(request, response, status, body, { ...pairs(headers), ...own })

  if (asset) answer(200, asset.bytes, asset.headers)
  else if (path === '/healthz') sendReady(request, response, alive, headers)
  else if (path === '/readyz') {
    const { status, body } = await readyAnswer(parts.readiness)
    answer(status, body, unstored)
  } else {
    checkMetricsReader(request, parts)
    answer(200, Buffer.from(await parts.metrics.text()), { 'content-type': metricsType, ...unstored })
  }
}

/** What /healthz answers: probes are many, and it never changes. */
export const alive = readyMade({ status: 'ok' })

function readyMade(body: object): CachedAnswer {
  const text = JSON.stringify(body)
  const [etag, type] = ['W/"alive"', 'application/json; charset=utf-8']
  return { headers: ['cache-control', 'no-store', 'etag', etag, 'content-type', type, 'content-length', String(text.length)], etag, body: text }
}

/** What /readyz answers. */
export async function readyAnswer(parts: ReadinessParts): Promise<{ status: number; body: object }> {
  const { status, checks, degraded } = await readiness(parts)
  if (status === 'ready') return { status: 200, body: { status, checks, degraded } }
  const message = status === 'draining' ? 'This gateway is about to end' : 'Not everything this gateway needs is there'
  const failure = { message, code: 'DEPENDENCY_UNAVAILABLE', status: errors.DEPENDENCY_UNAVAILABLE.status }
  return { status: failure.status, body: { ...failure, checks, degraded } }
}

export const unstored = { 'cache-control': 'no-store' }

/** @throws ROUTE_NOT_FOUND to anybody but this machine, under its own name (DNS rebinding), and holders of the token */
function checkMetricsReader(request: Request, { metricsToken, trustsProxies }: LocalParts): void {
  const { authorization, host } = (request as IncomingMessage).headers
  const hasToken = metricsToken !== undefined && sameSecret(authorization?.replace(/^Bearer /i, ''), metricsToken)
  const isFromHere = peerOf(request, trustsProxies).local && (host === undefined || isLoopback(hostName(host)))
  if (!hasToken && !isFromHere) refuse('ROUTE_NOT_FOUND')
}

const pairs = (list: RawHeaders): Record<string, string> =>
  Object.fromEntries(list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1]!] as const] : [])))
