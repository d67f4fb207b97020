import type { AnyEndpoint } from './service-api.ts'

type QueryValue = string | number | boolean | readonly string[] | undefined

interface CallArgs {
  params?: Record<string, string>
  query?: Record<string, QueryValue>
}

/**
 * Method, path and query of a call of an endpoint, as its declaration has them.
 * @throws TypeError without a parameter that the path needs
 */
export function requestOf(endpoint: AnyEndpoint, { params, query }: CallArgs): { method: string; target: string } {
  return { method: endpoint.method.toUpperCase(), target: `${pathOf(endpoint, params)}${queryText(query)}` }
}

function pathOf(endpoint: AnyEndpoint, params: Record<string, string> = {}): string {
  return endpoint.path.replace(/:([A-Za-z]+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === '') throw new TypeError(`${endpoint.path} needs the parameter ${name}`)
    return encodeURIComponent(value)
  })
}

function queryText(query: Record<string, QueryValue> = {}): string {
  const entries = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]]))
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`
}
