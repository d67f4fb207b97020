import { z } from 'zod'
import type { CallerClass } from './callers.ts'
import type { ErrorCode } from './errors.ts'
import { pathId } from './fields.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
export type RateClass = 'read' | 'write' | 'admin'
type Fields = Record<string, z.ZodType>
type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? ParamNames<Rest> | CleanName<Name>
  : Path extends `${string}:${infer Name}`
    ? CleanName<Name>
    : never
type CleanName<Name extends string> = Name extends `${infer Base}.${string}` ? Base : Name

/** One x402 price of an endpoint. */
export interface Price {
  /** Whole USDC, as text. */
  amount: string
  /** A call without proof gets 402. Otherwise it is only sold by /api/x402/pay, and open by itself. */
  gated: boolean
  /** Query values that distinguish entries of one endpoint. */
  query?: Readonly<Record<string, string>>
  /** Query of a call that is valid, for catalogues. */
  example?: Readonly<Record<string, string>>
}

export interface EndpointSpec<
  Path extends string,
  C extends CallerClass,
  P extends Fields,
  Q extends Fields,
  B extends z.ZodType,
  R extends z.ZodType,
> {
  method: Method
  /** Express style, `/api/gigs/:id`. */
  path: Path
  summary: string
  /** Who may call in plain mode. */
  caller: C
  /** Who may call in signed mode, when that differs (behaviour 1.6). */
  signed?: CallerClass
  /** Needs a request signature in plain mode too. */
  alwaysSigned?: boolean
  /** Spends what the platform holds for the caller: signed also in plain mode where others can reach the gateway. */
  spends?: boolean
  /** Ends what a caller has begun, or gives it what it owns: an agent that has migrated may still do that (behaviour 2). */
  evenMigrated?: boolean
  /** Declared, and refused by its service until it is implemented. */
  planned?: true
  /** Pages of any site may call it: a browser sends no identity there. Default: what anybody may read (behaviour 1.9). */
  crossOrigin?: boolean
  /** A path parameter that must be the caller's own agent id (=:id). */
  self?: NoInfer<ParamNames<Path>>
  /** A body field that names the acting agent and must be the caller. */
  actor?: string
  /** Default: read for GET, admin for oracle and admin callers, else write. An internal endpoint of class read changes nothing: it may be called again. */
  rate?: RateClass
  /** Most successful calls of one client address, besides its rate class. */
  quota?: { limit: number; windowSeconds: number }
  /** What x402 sells of it; the first entry also stands for a missing query value. */
  prices?: readonly Price[]
  /** Internal endpoint of the same service (see `quoting`) that says what x402 has to pay for one call; the money goes to the intake. */
  quote?: string
  /** Schemas of path parameters that are not plain ids. */
  params?: P
  query?: Q
  body?: B
  /** Answer of the main success status. Left out = bare: not yet described. */
  response?: R
  /** Main success status, 200 unless declared. */
  status?: 200 | 201 | 202
  /** Further success statuses, same answer unless a schema is given. */
  also?: readonly number[]
  /** Refusals of its own, besides `commonErrors`; tests fail on one that is not declared. */
  errors?: readonly ErrorCode[]
  /** Other paths (same parameters) that lead here. */
  aliases?: readonly string[]
  /** The answer depends on the caller: never cached by anybody else. */
  private?: boolean
  /** Holds a secret: an idempotent replay answers the outcome without the body. */
  sensitive?: boolean
  /** A write whose second call changes nothing and is answered as the first one: a gateway may send it again when its answer was lost. */
  repeatable?: boolean
  /** Content type of an answer that is not JSON. */
  produces?: 'image/png' | 'text/html' | 'application/xml' | 'text/event-stream' | 'application/ld+json'
  /** Further content types of the answer, chosen by Accept. */
  alsoProduces?: readonly 'application/vc+jwt'[]
}

/** One declared endpoint; see `endpoint`. */
export interface Endpoint<
  Path extends string = string,
  C extends CallerClass = CallerClass,
  P extends Fields = Fields,
  Q extends Fields = Fields,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> {
  readonly method: Method
  readonly path: Path
  readonly summary: string
  readonly caller: C
  readonly signed: CallerClass
  readonly alwaysSigned: boolean
  readonly spends: boolean
  readonly evenMigrated: boolean
  readonly crossOrigin: boolean
  readonly planned: boolean
  readonly self: string | undefined
  readonly actor: string | undefined
  readonly rate: RateClass
  readonly quota: { limit: number; windowSeconds: number } | undefined
  readonly prices: readonly Price[]
  readonly quote: string | undefined
  readonly params: z.ZodObject<P>
  readonly query: z.ZodObject<Q>
  readonly body: B | undefined
  readonly response: R | undefined
  readonly status: number
  readonly also: readonly number[]
  readonly errors: readonly ErrorCode[]
  readonly aliases: readonly string[]
  readonly private: boolean
  /** Its answers may be sent again within their max-age (behaviour 1.9): they depend on nothing but path, query and Accept. */
  readonly cacheable: boolean
  readonly sensitive: boolean
  /** A read, or a write that is declared so: it may reach its service twice. */
  readonly repeatable: boolean
  readonly produces: string | undefined
  readonly alsoProduces: readonly string[]
}

type PathParams<Path extends string, P extends Fields> = { [Name in ParamNames<Path>]: Name extends keyof P ? P[Name] : typeof pathId }

/**
 * Declares an HTTP endpoint. Routing, validation, handler types, OpenAPI, the reference page and the clients are derived from it.
 * @example
 * export const getGig = endpoint({ method: 'get', path: '/api/gigs/:id', caller: 'public', summary: 'One gig', response: Gig })
 */
export function endpoint<
  const Path extends string,
  C extends CallerClass,
  // biome-ignore lint/complexity/noBannedTypes: no fields of its own
  P extends Fields = {},
  // biome-ignore lint/complexity/noBannedTypes: no fields of its own
  Q extends Fields = {},
  B extends z.ZodType = z.ZodUndefined,
  R extends z.ZodType = z.ZodUnknown,
>(spec: EndpointSpec<Path, C, P, Q, B, R>): Endpoint<Path, C, PathParams<Path, P>, Q, B, R> {
  const params = Object.fromEntries(paramNames(spec.path).map(name => [name, spec.params?.[name] ?? pathId]))
  const isPrivate = spec.private ?? (spec.method === 'get' && spec.caller !== 'public')
  const isOpenRead = spec.method === 'get' && spec.caller === 'public' && (spec.signed ?? 'public') === 'public' && !isPrivate
  const rate = spec.rate ?? (spec.method === 'get' ? 'read' : spec.caller === 'oracle' || spec.caller === 'admin' ? 'admin' : 'write')
  // internal reads that need a body are declared as such by their rate class
  const isRead = spec.method === 'get' || (spec.caller === 'internal' && rate === 'read')
  return {
    method: spec.method,
    path: spec.path,
    summary: spec.summary,
    caller: spec.caller,
    signed: spec.signed ?? spec.caller,
    alwaysSigned: spec.alwaysSigned ?? false,
    spends: spec.spends ?? false,
    evenMigrated: spec.evenMigrated ?? false,
    planned: spec.planned ?? false,
    crossOrigin: spec.crossOrigin ?? (spec.method === 'get' && spec.caller === 'public' && !isPrivate),
    self: spec.self,
    actor: spec.actor,
    rate,
    quota: spec.quota,
    prices: spec.prices ?? [],
    quote: spec.quote,
    params: z.object(params) as unknown as z.ZodObject<PathParams<Path, P>>,
    query: z.object(spec.query ?? ({} as Q)),
    body: spec.body,
    response: spec.response,
    status: spec.status ?? 200,
    also: spec.also ?? [],
    errors: spec.errors ?? [],
    aliases: spec.aliases ?? [],
    private: isPrivate,
    cacheable: isOpenRead && !spec.prices?.length && !spec.quote && !spec.quota && spec.produces !== 'text/event-stream',
    sensitive: spec.sensitive ?? false,
    repeatable: spec.repeatable ?? isRead,
    produces: spec.produces,
    alsoProduces: spec.alsoProduces ?? [],
  }
}

/** The names of the `:parameters` of a path, in order. */
export function paramNames(path: string): string[] {
  return [...path.matchAll(/:([A-Za-z]+)/g)].map(match => match[1]!)
}

// By property, not by `E extends Endpoint<…>`: comparing whole endpoints costs the compiler most of its time.
export type ParamsOf<E> = E extends { readonly params: infer P extends z.ZodType } ? z.output<P> : never
export type QueryOf<E> = E extends { readonly query: infer Q extends z.ZodType } ? z.output<Q> : never
export type QueryInputOf<E> = E extends { readonly query: infer Q extends z.ZodType } ? z.input<Q> : never
export type BodyOf<E> = E extends { readonly body: (infer B extends z.ZodType) | undefined } ? z.output<B> : never
export type BodyInputOf<E> = E extends { readonly body: (infer B extends z.ZodType) | undefined } ? z.input<B> : never
export type ResponseOf<E> = E extends { readonly response: (infer R extends z.ZodType) | undefined } ? z.output<R> : never
export type CallerClassOf<E> = E extends { readonly caller: infer C extends CallerClass } ? C : never
