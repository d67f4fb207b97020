import type { z } from 'zod'
import { type CallerClass, callers } from '../core/callers.ts'
import type { Price } from '../core/endpoint.ts'
import { type Json, type SchemaBook, schemaBook } from '../core/json-schema.ts'
import { bySpecificity, type Route, routes } from '../core/routes.ts'
import { type AnyEndpoint, type ServiceApi, serviceSummaries } from '../core/service-api.ts'
import { lastOf } from '../core/steps.ts'
import { exampleOf } from './example.ts'
import { errorSchemas, responseHeaders, responses, sharedResponses } from './responses.ts'
import { securityOf, securitySchemes } from './security.ts'

const needsText: Record<(typeof callers)[CallerClass]['needs'], string> = {
  nothing: 'anybody',
  agent: 'a registered agent, named by `x-agent-id`',
  wallet: 'a registered agent, named by `x-agent-id` and `x-wallet-address`',
  walletOnly: 'the agent that is registered with `x-wallet-address`',
  oracle: 'the oracle or an admin, named by `x-admin-wallet`',
  admin: 'an admin, named by `x-admin-wallet`',
  walletOrOracle: 'a registered agent (`x-agent-id` and `x-wallet-address`), or the oracle (`x-admin-wallet`)',
  agentOrOracle: 'a registered agent (`x-agent-id`), or the oracle (`x-admin-wallet`)',
  internal: 'other services',
}

/**
 * The interface of all services as an OpenAPI 3.1.1 document; public endpoints only.
 * @example openapi(Object.values(apis), '0.1.0')
 */
export const openapi = (apis: readonly ServiceApi[], version: string): Json => lastOf(openapiSteps(apis, version))

/** The work of `openapi`, some 0.3 s of a processor, in steps of one operation: a process that answers requests does others between them. */
export function* openapiSteps(apis: readonly ServiceApi[], version: string): Generator<undefined, Json> {
  const book = schemaBook('#/components/schemas/')
  const planned = new Set(apis.filter(api => api.planned).map(api => api.name))
  const all = routes(apis).all.toSorted((a, b) => compare(a.path, b.path) || bySpecificity(a, b))
  const templateOf = templates(all.map(({ path }) => path))
  const paths: Record<string, Json> = {}
  for (const route of all) {
    const path = templateOf(route.path)
    paths[path] = { ...paths[path], [route.method]: operation(route, path, book, planned.has(route.service)) }
    yield
  }
  const shared = sharedResponses(book)
  const schemas = { ...errorSchemas(book), ...book.named() }
  const resolve = (reference: string) => schemas[reference.split('/').at(-1)!]!
  addExamples(paths, schemas, resolve)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Carapace',
      version,
      description: 'Identity, reputation, paid work and safe payment for autonomous software agents.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: apis.map(({ name }) => ({ name, description: serviceSummaries[name] })),
    paths,
    components: { schemas, responses: shared, headers: responseHeaders, securitySchemes },
  }
}

/** Two paths that differ by the names of their parameters are one template: there they are all called `id`. */
function templates(paths: readonly string[]): (path: string) => string {
  const shapeOf = (path: string) => path.replace(/:([A-Za-z]+)/g, '{id}')
  const forms = new Map<string, Set<string>>()
  for (const path of paths) forms.set(shapeOf(path), (forms.get(shapeOf(path)) ?? new Set()).add(path))
  return path => (forms.get(shapeOf(path))!.size > 1 ? shapeOf(path) : path.replace(/:([A-Za-z]+)/g, '{$1}'))
}

/** Every request body and every named schema gets a value that it accepts. */
function addExamples(paths: Record<string, Json>, schemas: Record<string, Json>, resolve: (reference: string) => Json): void {
  for (const schema of Object.values(schemas)) schema.examples = [exampleOf(schema, resolve)]
  for (const operations of Object.values(paths))
    for (const { requestBody } of Object.values(operations) as { requestBody?: { content: Record<string, { schema: Json; example?: unknown }> } }[])
      for (const content of Object.values(requestBody?.content ?? {})) content.example = exampleOf(content.schema, resolve)
}

function operation({ endpoint, name, path, service }: Route, template: string, book: SchemaBook, isPlanned: boolean): Json {
  const alias = path !== endpoint.path
  return {
    operationId: alias ? `${name}Alias${endpoint.aliases.indexOf(path) + 1}` : name,
    summary: endpoint.summary,
    description: describe(endpoint, alias),
    tags: [service],
    ...(alias ? { deprecated: true } : {}),
    ...(isPlanned || endpoint.planned ? { 'x-status': 'planned' } : {}),
    ...(endpoint.prices.length > 0 ? { 'x-price': endpoint.prices.map(({ example, ...price }) => ({ ...price, currency: 'USDC' })) } : {}),
    security: securityOf(endpoint),
    parameters: [...pathParameters(endpoint, path, template, book), ...queryParameters(endpoint, book), ...headerParameters(endpoint)],
    ...(endpoint.body ? { requestBody: requestBody(endpoint.body, book) } : {}),
    responses: responses(endpoint, book),
  }
}

/** A body whose fields may all be left out may be left out itself. */
const requestBody = (body: z.ZodType, book: SchemaBook): Json => ({
  required: !body.safeParse({}).success,
  content: { 'application/json': { schema: book.inline(body, 'input') } },
})

function describe(endpoint: AnyEndpoint, alias: boolean): string {
  const { optional, needs } = callers[endpoint.caller as CallerClass]
  return [
    `Caller: ${needsText[needs]}${optional ? '; identity headers, if sent, must be right' : ''}.`,
    endpoint.self ? `The caller must be \`${endpoint.self}\` of the path.` : '',
    endpoint.actor ? `\`${endpoint.actor}\` of the body must be the caller.` : '',
    endpoint.alwaysSigned ? 'Always needs a request signature.' : '',
    endpoint.prices.length > 0 ? `Price: ${endpoint.prices.map(priceText).join(', ')} (x402).` : '',
    `Rate class: ${endpoint.rate}.`,
    alias ? `The same as \`${endpoint.path}\`.` : '',
  ]
    .filter(Boolean)
    .join(' ')
}

function priceText({ amount, gated, query = {} }: Price): string {
  const values = Object.entries(query).map(([name, value]) => ` with ${name}=${value}`)
  return `${amount} USDC${values.join('')}${gated ? '' : ', sold by POST /api/x402/pay and open by itself'}`
}

function pathParameters(endpoint: AnyEndpoint, path: string, template: string, book: SchemaBook): Json[] {
  const inTemplate = [...template.matchAll(/\{([A-Za-z]+)\}/g)].map(match => match[1]!)
  const declared = [...path.matchAll(/:([A-Za-z]+)/g)].map(match => match[1]!)
  return inTemplate.map((name, i) => ({ name, in: 'path', required: true, schema: book.schema(endpoint.params.shape[declared[i]!], 'input') }))
}

function queryParameters(endpoint: AnyEndpoint, book: SchemaBook): Json[] {
  return Object.entries(endpoint.query.shape as Record<string, z.ZodType>).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !schema.safeParse(undefined).success,
    schema: book.schema(schema, 'input'),
  }))
}

function headerParameters({ method, also }: AnyEndpoint): Json[] {
  if (method === 'get') return []
  const key = {
    name: 'idempotency-key',
    description: 'Makes repeats of this request one effect',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  }
  const prefer = { name: 'prefer', description: '`respond-async`: 202 immediately', schema: { type: 'string' } }
  return [key, ...(also.includes(202) ? [prefer] : [])].map(({ name, ...rest }) => ({ name, in: 'header', required: false, ...rest }))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
