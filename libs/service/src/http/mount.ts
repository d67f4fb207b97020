import { type AnyEndpoint, Refusal, routes, type ServiceApi } from '@carapace/api'
import type { RequestHandler } from 'express'
import type { Handler } from '../define.ts'
import { holdToErrors } from './declared-errors.ts'
import { RefusalWithHeaders } from './failure.ts'
import { pathOf } from './input.ts'
import { openJournal } from './journal.ts'
import { type RouteParts, refusing, route, type Serve } from './route.ts'

/**
 * All routes of a service as one Express handler. It finds them by the same table as the gateway does, so that both agree on what a path means,
 * and the number of routes costs nothing.
 */
export function mount(api: ServiceApi, handlers: Record<string, Handler<AnyEndpoint>>, given: Omit<RouteParts, 'journal'>): RequestHandler {
  const parts: RouteParts = { ...given, journal: openJournal(given.platform) }
  const declared = { ...api.endpoints, ...api.internal }
  const table = routes([{ ...api, endpoints: declared }])
  const handlerOf = (name: string, endpoint: AnyEndpoint) => (parts.checkAnswers ? holdToErrors(endpoint, handlers[name]!) : handlers[name]!)
  const serves = new Map<string, Serve>(Object.entries(declared).map(([name, endpoint]) => [name, route(endpoint, handlerOf(name, endpoint), parts)]))
  return (request, response) => {
    const found = table.match(request.method, pathOf(request))
    if ('name' in found) return serves.get(found.name)!(request, response, found.params)
    const refusal =
      'none' in found
        ? new Refusal('ROUTE_NOT_FOUND')
        : new RefusalWithHeaders('METHOD_NOT_ALLOWED', { details: { allow: found.methodNotAllowed } }, { allow: found.methodNotAllowed.join(', ') })
    refusing(request.method, parts, refusal)(request, response, {})
  }
}
