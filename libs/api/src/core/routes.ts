import type { Method } from './endpoint.ts'
import type { AnyEndpoint, ServiceApi, ServiceName } from './service-api.ts'

/** One declared path; an alias is a route of its own to the same endpoint. */
export interface Route {
  method: Method
  /** As declared, `/api/gigs/:id`. */
  path: string
  service: ServiceName
  name: string
  endpoint: AnyEndpoint
}
export interface Found extends Route {
  /** Decoded path parameters, by the names of this path. */
  params: Record<string, string>
}
export type Match = Found | { methodNotAllowed: string[] } | { none: true }

export interface RouteTable {
  /** Most specific first: static before parameter, segment by segment. */
  readonly all: readonly Route[]
  /** The most specific route that knows path and method. HEAD is treated as GET; one slash at the end does not count. */
  match(method: string, path: string): Match
}

/** Paths of the older API whose last segment would be read as an id (behaviour 19): they are no routes. */
export const reservedPaths: readonly string[] = ['/api/gigs/discover', '/api/gigs/create', '/api/crews/create']

interface Node {
  statics: Map<string, Node>
  /** With a fixed ending (`:id.png`) before those without. */
  params: { name: string; suffix: string; node: Node }[]
  routes: Map<Method, { route: Route; names: string[] }>
  isReserved?: boolean
}

/**
 * The routing table of all public endpoints.
 * @throws Error when two endpoints cannot be distinguished
 * @example routes(Object.values(apis)).match('GET', '/api/gigs/42')
 */
export function routes(apis: readonly ServiceApi[]): RouteTable {
  const root = newNode()
  for (const path of reservedPaths) reserve(root, path)
  const all = apis.flatMap(routesOf).sort(bySpecificity)
  for (const route of all) insert(root, route)
  return {
    all,
    match: (method, path) => {
      const wanted = (method === 'HEAD' ? 'get' : method.toLowerCase()) as Method
      const search: Search = { segments: segmentsOf(path), wanted, values: [], allow: undefined }
      return walk(root, 0, search) ?? (search.allow ? { methodNotAllowed: allowHeader(search.allow) } : { none: true })
    },
  }
}

/** Order of two routes: the more specific comes first. */
export function bySpecificity(a: { path: string }, b: { path: string }): number {
  const [left, right] = [segmentsOf(a.path), segmentsOf(b.path)]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = rank(left[i]!) - rank(right[i]!) || (rank(left[i]!) === 0 ? compareText(left[i]!, right[i]!) : 0)
    if (order !== 0) return order
  }
  return left.length - right.length
}

function routesOf(api: ServiceApi): Route[] {
  return Object.entries(api.endpoints).flatMap(([name, endpoint]) =>
    [endpoint.path, ...endpoint.aliases].map(path => ({ method: endpoint.method, path, service: api.name, name, endpoint })),
  )
}

function insert(root: Node, route: Route): void {
  let node = root
  const names: string[] = []
  for (const segment of segmentsOf(route.path)) {
    const param = paramOf(segment)
    if (param) names.push(param.name)
    node = param ? paramChild(node, param) : staticChild(node, segment)
  }
  const other = node.routes.get(route.method)
  if (other) throw new Error(`${route.method} ${route.path} (${route.name}) and ${other.route.path} (${other.route.name}) are the same route`)
  node.routes.set(route.method, { route, names })
}

/** A node without routes of its own that no parameter replaces. */
function reserve(root: Node, path: string): void {
  let node = root
  for (const segment of segmentsOf(path)) node = staticChild(node, segment)
  node.isReserved = true
}

interface Search {
  segments: string[]
  wanted: Method
  /** Parameters on the way to the present node. */
  values: string[]
  /** Methods that the path has, once it was reached without the wanted one. */
  allow: Set<Method> | undefined
}

function walk(node: Node, at: number, search: Search): Found | undefined {
  const { segments, values } = search
  if (at === segments.length) return arrive(node, search)
  const segment = segments[at]!
  const next = node.statics.get(segment)
  const found = next && walk(next, at + 1, search)
  if (found) return found
  if (next?.isReserved && at + 1 === segments.length) return undefined
  for (const { suffix, node: child } of node.params) {
    if (segment.length <= suffix.length || !segment.endsWith(suffix)) continue
    values.push(suffix === '' ? segment : segment.slice(0, -suffix.length))
    const deeper = walk(child, at + 1, search)
    if (deeper) return deeper
    values.pop()
  }
  return undefined
}

function arrive(node: Node, search: Search): Found | undefined {
  const hit = node.routes.get(search.wanted)
  if (!hit) {
    for (const method of node.routes.keys()) search.allow = (search.allow ?? new Set()).add(method)
    return undefined
  }
  const params: Record<string, string> = {}
  for (let i = 0; i < hit.names.length; i++) {
    const value = decode(search.values[i]!)
    if (isDotSegment(value)) return undefined
    params[hit.names[i]!] = value
  }
  const { method, path, service, name, endpoint } = hit.route
  return { method, path, service, name, endpoint, params }
}

const newNode = (): Node => ({ statics: new Map(), params: [], routes: new Map() })

function staticChild(node: Node, segment: string): Node {
  const child = node.statics.get(segment) ?? newNode()
  node.statics.set(segment, child)
  return child
}

function paramChild(node: Node, { name, suffix }: { name: string; suffix: string }): Node {
  const same = node.params.find(param => param.suffix === suffix)
  if (same) return same.node
  const child = newNode()
  node.params.push({ name, suffix, node: child })
  node.params.sort((a, b) => b.suffix.length - a.suffix.length)
  return child
}

/** The segments between the slashes; one slash at the end does not count. By hand: `split` costs the gateway and each service more than the rest of the match. */
function segmentsOf(path: string): string[] {
  const segments: string[] = []
  let from = 1
  for (let slash = path.indexOf('/', from); slash >= 0; slash = path.indexOf('/', from)) {
    segments.push(path.slice(from, slash))
    from = slash + 1
  }
  if (from < path.length || segments.length === 0) segments.push(path.slice(from))
  return segments
}

function paramOf(segment: string): { name: string; suffix: string } | undefined {
  const match = /^:([A-Za-z]+)(.*)$/.exec(segment)
  return match ? { name: match[1]!, suffix: match[2]! } : undefined
}

const rank = (segment: string): number => (segment.startsWith(':') ? (segment.includes('.') ? 1 : 2) : 0)
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** No id: in an address it makes another address (RFC 3986, 5.2.4). */
export const isDotSegment = (value: string): boolean => value === '.' || value === '..'

// What cannot be decoded stays as it is: the schema of the parameter refuses it.
function decode(value: string): string {
  if (!value.includes('%')) return value
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

function allowHeader(methods: Set<Method>): string[] {
  const names = [...methods].map(method => method.toUpperCase())
  return (names.includes('GET') ? [...names, 'HEAD'] : names).sort()
}
