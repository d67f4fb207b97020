import type { BodyInputOf, ParamsOf, QueryInputOf, ResponseOf } from './endpoint.ts'
import { Refusal, refusalIn } from './errors.ts'
import type { AnyEndpoint } from './service-api.ts'

type Headers = Readonly<Record<string, string | undefined>>
type QueryValue = string | number | boolean | readonly string[] | undefined

export interface ClientOptions {
  /** Without a slash at the end. */
  baseUrl: string
  fetch?: typeof fetch
  /** Sent with every call, such as identity headers; a function is called before each request. */
  headers?: Headers | (() => Headers)
  /** Default 30 s. */
  timeoutMs?: number
}

// biome-ignore lint/complexity/noBannedTypes: {} extends T tests whether every key of T may be left out
type Part<Name extends string, T> = [T] extends [undefined] ? { [K in Name]?: T } : {} extends T ? { [K in Name]?: T } : { [K in Name]: T }
type QueryOf<Q> = { [K in keyof Q]: Q[K] | QueryValue }
export type CallArgs<E> = Part<'params', { [K in keyof ParamsOf<E>]: string }> &
  Part<'query', QueryOf<QueryInputOf<E>>> &
  Part<'body', BodyInputOf<E>> & { headers?: Headers; signal?: AbortSignal }
// biome-ignore lint/complexity/noBannedTypes: as above
type Call<E> = {} extends CallArgs<E> ? (args?: CallArgs<E>) => Promise<ResponseOf<E>> : (args: CallArgs<E>) => Promise<ResponseOf<E>>
/** One method for each endpoint, under its name. */
export type Client<E extends Record<string, AnyEndpoint>> = { readonly [Name in keyof E]: Call<E[Name]> }

interface LooseArgs {
  params?: Record<string, string>
  query?: Record<string, QueryValue>
  body?: unknown
  headers?: Headers
  signal?: AbortSignal
}

/**
 * A typed client of declared endpoints. Pictures answer a Uint8Array, pages a string, streams of events a ReadableStream.
 * @throws Refusal for every error body; DEPENDENCY_UNAVAILABLE when there is no answer or none that can be read
 * @example await client(marketplaceApi.endpoints, { baseUrl }).getGig({ params: { id } })
 */
export function client<E extends Record<string, AnyEndpoint>>(endpoints: E, options: ClientOptions): Client<E> {
  return Object.fromEntries(
    Object.entries(endpoints).map(([name, endpoint]) => [name, (args: LooseArgs = {}) => call(endpoint, args, options)]),
  ) as unknown as Client<E>
}

async function call(endpoint: AnyEndpoint, args: LooseArgs, options: ClientOptions): Promise<unknown> {
  const common = typeof options.headers === 'function' ? options.headers() : options.headers
  const headers = Object.entries({ ...common, ...args.headers }).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const isEndless = endpoint.produces === 'text/event-stream'
  const signals = [...(args.signal ? [args.signal] : []), ...(isEndless ? [] : [AbortSignal.timeout(options.timeoutMs ?? 30_000)])]
  const { method, target } = requestOf(endpoint, args)
  const response = await (options.fetch ?? fetch)(`${options.baseUrl}${target}`, {
    method,
    headers: [...headers, ...(args.body === undefined ? [] : [['content-type', 'application/json'] as [string, string]])],
    ...(args.body === undefined ? {} : { body: JSON.stringify(args.body) }),
    signal: AbortSignal.any(signals),
  }).catch((cause: unknown) => {
    if (args.signal?.aborted) throw cause
    throw new Refusal('DEPENDENCY_UNAVAILABLE', { message: `No answer from ${options.baseUrl}: ${String(cause)}` })
  })
  if (!response.ok) throw await refusalOf(response)
  if (endpoint.produces === 'image/png') return new Uint8Array(await response.arrayBuffer())
  if (isEndless) return response.body
  return endpoint.produces ? response.text() : response.json()
}

/**
 * Method, path and query of a call.
 * @throws TypeError without a parameter that the path needs
 */
export function requestOf(endpoint: AnyEndpoint, { params, query }: Pick<LooseArgs, 'params' | 'query'>): { method: string; target: string } {
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

/** The refusal in an answer that is an error. */
async function refusalOf(response: Response): Promise<Refusal> {
  const body = (await response.json().catch(() => undefined)) as Record<string, unknown> | undefined
  const refusal = refusalIn(body, response.headers.get('retry-after'))
  if (!body || !refusal)
    return new Refusal('DEPENDENCY_UNAVAILABLE', { message: `Answer ${response.status} without a known error`, details: { body } })
  const { code, extras, message } = refusal
  // A 402 challenge is a body of its own: all of it is for the caller's program.
  return code === 'PAYMENT_REQUIRED' || code === 'PAYMENT_INVALID' ? new Refusal(code, { ...extras, message, details: body }) : refusal
}
