import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Found, type RouteTable, refuse } from '@carapace/api'
import { preflightHeaders, type RawHeaders } from './headers.ts'
import { ownHost } from './own-host.ts'

export interface CrossOrigin {
  /** @throws FORBIDDEN when another site's page acts in plain mode, where a header is enough to act as an agent, and where the sandbox is open */
  check(request: IncomingMessage, route: Found): void
}

const identityHeaders = ['x-agent-id', 'x-wallet-address', 'x-admin-wallet', 'x-admin-key']

/** A browser names the page's origin in `Origin`; a page whose name was pointed at this address has another one than ours, too. */
export function crossOrigin(mode: 'plain' | 'signed', publicBaseUrl: string): CrossOrigin {
  const isOwn = ownHost(publicBaseUrl)
  const { protocol } = new URL(publicBaseUrl)
  return {
    check: ({ headers }, { method, endpoint }) => {
      const { origin } = headers
      if (mode === 'signed' || origin === undefined) return
      const page = URL.canParse(origin) ? new URL(origin) : undefined
      if (page?.protocol === protocol && isOwn(page.host)) return
      if (identityHeaders.some(name => headers[name] !== undefined))
        refuse('FORBIDDEN', { header: 'origin' }, { message: 'Pages of other sites may not send identity headers' })
      // a browser sends some bodies without a preflight
      if (method !== 'get' && !endpoint.crossOrigin) refuse('FORBIDDEN', { header: 'origin' }, { message: 'Pages of other sites may not call this' })
    },
  }
}

/** OPTIONS: a preflight for what other sites may read, else 405 with what the path knows. @throws ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED */
export function answerPreflight(request: IncomingMessage, response: ServerResponse, table: RouteTable, path: string, headers: RawHeaders): void {
  const wanted = String(request.headers['access-control-request-method'] ?? '')
  const match = table.match(wanted || 'OPTIONS', path)
  if ('none' in match) refuse('ROUTE_NOT_FOUND')
  if ('methodNotAllowed' in match) refuse('METHOD_NOT_ALLOWED', { allow: match.methodNotAllowed })
  if (!match.endpoint.crossOrigin) refuse('METHOD_NOT_ALLOWED', { allow: [match.method.toUpperCase()] })
  const body = '{}'
  const type = ['content-type', 'application/json; charset=utf-8', 'content-length', String(body.length)]
  response.writeHead(200, [...headers, ...preflightHeaders, ...type])
  response.end(body)
}
