import type { IncomingMessage, ServerResponse } from 'node:http'
import { callers, type Found, type RouteTable, refuse } from '@carapace/api'
import { preflightHeaders, type RawHeaders } from '../request/headers.ts'
import { ownHost } from '../request/request.ts'

export interface CrossOrigin {
  /** Whether pages of other sites may read the answers of this route. */
  mayRead(route: Found): boolean
  /** @throws FORBIDDEN when another site's page acts in plain mode, where a header is enough to act as an agent, or for operators and in the sandbox */
  check(request: IncomingMessage, route: Found): void
}

const identityHeaders = ['x-agent-id', 'x-wallet-address', 'x-admin-wallet', 'x-admin-key']

/** A browser names the page's origin in `Origin`; a page whose name was pointed at this address has another one than ours, too. */
export function crossOrigin(mode: 'plain' | 'signed', publicBaseUrl: string): CrossOrigin {
  const isOwn = ownHost(publicBaseUrl)
  const { protocol } = new URL(publicBaseUrl)
  // a signature is not sent by a browser on its own, as a cookie would be: pages of all sites may use it, but not where operators act
  const mayRead: CrossOrigin['mayRead'] = ({ endpoint, path }) =>
    endpoint.crossOrigin || (mode === 'signed' && !isForOperators(endpoint) && !path.startsWith('/api/sandbox/'))
  return {
    mayRead,
    check: ({ headers }, route) => {
      const { origin } = headers
      const { method, endpoint } = route
      if (origin === undefined || (mode === 'signed' && mayRead(route))) return
      const page = URL.canParse(origin) ? new URL(origin) : undefined
      if (page?.protocol === protocol && isOwn(page.host)) return
      if (identityHeaders.some(name => headers[name] !== undefined))
        refuse('FORBIDDEN', { header: 'origin' }, { message: 'Pages of other sites may not send identity headers' })
      // a browser sends some bodies without a preflight
      if (method !== 'get' && !endpoint.crossOrigin) refuse('FORBIDDEN', { header: 'origin' }, { message: 'Pages of other sites may not call this' })
    },
  }
}

const isForOperators = ({ signed }: Found['endpoint']): boolean => callers[signed].needs === 'admin' || callers[signed].needs === 'oracle'

/** OPTIONS: a preflight for what other sites may call, else 405 with what the path knows. @throws ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED */
export function answerPreflight(
  request: IncomingMessage,
  response: ServerResponse,
  { table, crossOrigin, identity }: { table: RouteTable; crossOrigin: CrossOrigin; identity: { mode: 'plain' | 'signed' } },
  path: string,
  headers: RawHeaders,
): void {
  const wanted = String(request.headers['access-control-request-method'] ?? '')
  const match = table.match(wanted || 'OPTIONS', path)
  if ('none' in match) refuse('ROUTE_NOT_FOUND')
  if ('methodNotAllowed' in match) refuse('METHOD_NOT_ALLOWED', { allow: match.methodNotAllowed })
  if (!crossOrigin.mayRead(match)) refuse('METHOD_NOT_ALLOWED', { allow: [match.method.toUpperCase()] })
  const body = '{}'
  const type = ['content-type', 'application/json; charset=utf-8', 'content-length', String(body.length)]
  response.writeHead(200, [...headers, ...preflightHeaders[identity.mode], ...type])
  response.end(body)
}
