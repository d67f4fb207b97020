import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { apis, routes, type ServiceName } from '@carapace/api'
import { contextHeader, expiry, type RequestContext, requestIdHeader, signContext } from '@carapace/service'
import { v7 } from 'uuid'

/**
 * Stands in for the gateway in tests of single services: it routes by the declared table and vouches for all that the identity headers say
 * (and for `x-test-signed-by`, the wallet whose signature was checked, and `x-test-exposed`, plain mode that strangers can reach), without any check. Real identity checks are the gateway's own tests' matter.
 */
export async function startGatewayStub(
  address: (service: ServiceName) => string | undefined,
  internalKey: string,
): Promise<{ url: string; close(): Promise<void> }> {
  const table = routes(Object.values(apis))
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://stub')
    const found = table.match(request.method ?? 'GET', url.pathname)
    const target = 'service' in found ? address(found.service) : undefined
    if (!target) {
      response
        .writeHead(404, { 'content-type': 'application/json' })
        .end(JSON.stringify({ message: 'no such route', code: 'ROUTE_NOT_FOUND', status: 404 }))
      return
    }
    const body: Buffer[] = []
    for await (const chunk of request) body.push(chunk as Buffer)
    const headers = new Headers(
      Object.entries(request.headers).flatMap(([name, value]) => (typeof value === 'string' && !hop.has(name) ? [[name, value]] : [])) as [
        string,
        string,
      ][],
    )
    headers.set(contextHeader, signContext(contextOf(request.headers), internalKey))
    headers.set(requestIdHeader, v7())
    const left = new AbortController()
    response.once('close', () => left.abort())
    const answer = await fetch(`${target}${url.pathname}${url.search}`, {
      method: request.method ?? 'GET',
      headers,
      signal: left.signal,
      ...(body.length ? { body: Buffer.concat(body) } : {}),
    })
    response.writeHead(answer.status, Object.fromEntries([...answer.headers].filter(([name]) => !hop.has(name))))
    response.flushHeaders()
    if (answer.body) await pipeline(answer.body, response)
    else response.end()
  }
  const server = createServer((request, response) => void forward(request, response).catch(() => response.destroy()))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const hop = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'])

function contextOf(headers: NodeJS.Dict<string | string[]>): RequestContext {
  const text = (name: string) => (typeof headers[name] === 'string' ? headers[name] : undefined)
  const agentId = text('x-agent-id')
  const wallet = text('x-wallet-address')
  const admin = text('x-admin-wallet')
  const signedBy = text('x-test-signed-by')
  const key = text('idempotency-key')?.replace(/^"|"$/g, '')
  return {
    mode: 'plain',
    ip: '127.0.0.1',
    expires: expiry(),
    ...(agentId || wallet ? { agent: { kind: 'agent', agentId: agentId ?? '', wallet: wallet ?? '' } } : {}),
    ...(admin ? { admin: { kind: 'admin', wallet: admin } } : {}),
    ...(signedBy ? { signedBy } : {}),
    ...(text('x-test-exposed') ? { exposed: true } : {}),
    ...(key ? { idempotencyKey: key } : {}),
  }
}
