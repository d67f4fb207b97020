import { type LegacyCall, type LegacyRoute, legacyRoutes } from './table.ts'

export interface FoundLegacy {
  route: LegacyRoute
  params: LegacyCall['params']
}

const patterns = legacyRoutes.map(route => {
  const [method, path] = route.from.split(' ') as [string, string]
  return { route, method, parts: path.split('/') }
})

/** The row of the older API that a request names; undefined for all others. */
export function findLegacy(method: string, path: string): FoundLegacy | undefined {
  const sent = path.replace(/\/$/, '').split('/')
  for (const { route, method: wanted, parts } of patterns) {
    if (method !== wanted || parts.length !== sent.length) continue
    if (parts.every((part, n) => part.startsWith(':') || part === sent[n]))
      return { route, params: Object.fromEntries(parts.flatMap((part, n) => (part.startsWith(':') ? [[part.slice(1), sent[n]!]] : []))) }
  }
  return undefined
}
