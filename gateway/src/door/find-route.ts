import { type Found, type RouteTable, refuse } from '@carapace/api'
import type { Request } from 'express'
import { checkAuthority, splitTarget, type Target } from '../request/request.ts'

/** @throws VALIDATION_ERROR, ROUTE_NOT_FOUND */
export function targetOf(request: Request): Target {
  checkAuthority(request)
  return splitTarget(request.url)
}

/** @throws ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED */
export function findRoute(table: RouteTable, method: string, path: string): Found {
  const match = table.match(method, path)
  if ('methodNotAllowed' in match) return refuse('METHOD_NOT_ALLOWED', { allow: match.methodNotAllowed })
  return 'none' in match ? refuse('ROUTE_NOT_FOUND') : match
}
