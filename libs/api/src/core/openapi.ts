import type { z } from 'zod'
import { type CallerClass, callers } from './callers.ts'
import { type ErrorCode, errors } from './errors.ts'
import { fundingOptions } from './funding.ts'
import { type Json, type SchemaBook, schemaBook } from './json-schema.ts'
import { bySpecificity, type Route, routes } from './routes.ts'
import type { AnyEndpoint, ServiceApi } from './service-api.ts'

/** Identity headers, as each caller class needs them (behaviour 0). */
const identityHeaders: Record<(typeof callers)[CallerClass]['needs'], readonly { name: string; required: boolean }[]> = {
  nothing: [],
  agent: [{ name: 'x-agent-id', required: true }, { name: 'x-wallet-address', required: false }], // biome-ignore format: a table
  wallet: [{ name: 'x-agent-id', required: true }, { name: 'x-wallet-address', required: true }], // biome-ignore format: a table
  walletOnly: [{ name: 'x-wallet-address', required: true }],
  oracle: [{ name: 'x-admin-wallet', required: true }],
  admin: [{ name: 'x-admin-wallet', required: true }],
  walletOrOracle: [],
  agentOrOracle: [],
  internal: [],
}
const anyIdentity = ['x-agent-id', 'x-wallet-address', 'x-admin-wallet'].map(name => ({ name, required: false }))
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
export function openapi(apis: readonly ServiceApi[], version: string): Json {
  const book = schemaBook('#/components/schemas/')
  const planned = new Set(apis.filter(api => api.planned).map(api => api.name))
  const paths: Record<string, Json> = {}
  for (const route of routes(apis).all.toSorted((a, b) => compare(a.path, b.path) || bySpecificity(a, b))) {
    const path = route.path.replace(/:([A-Za-z]+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method]: operation(route, book, planned.has(route.service)) }
  }
  const error = errorSchema(book)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Carapace',
      version,
      description: 'Identity, reputation, paid work and safe payment for autonomous software agents.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: apis.map(api => ({ name: api.name })),
    paths,
    components: { schemas: { ...book.named(), Error: error } },
  }
}

function operation({ endpoint, name, path, service }: Route, book: SchemaBook, isPlanned: boolean): Json {
  const alias = path !== endpoint.path
  return {
    operationId: alias ? `${name}Alias${endpoint.aliases.indexOf(path) + 1}` : name,
    summary: endpoint.summary,
    description: describe(endpoint, alias),
    tags: [service],
    ...(alias ? { deprecated: true } : {}),
    ...(isPlanned || endpoint.planned ? { 'x-status': 'planned' } : {}),
    parameters: [...pathParameters(endpoint, path, book), ...queryParameters(endpoint, book), ...headerParameters(endpoint)],
    ...(endpoint.body ? { requestBody: { required: true, content: { 'application/json': { schema: book.schema(endpoint.body, 'input') } } } } : {}),
    responses: responses(endpoint, book),
  }
}

function describe(endpoint: AnyEndpoint, alias: boolean): string {
  const { optional, needs } = callers[endpoint.caller as CallerClass]
  return [
    `Caller: ${needsText[needs]}${optional ? '; identity headers, if sent, must be right' : ''}.`,
    endpoint.self ? `The caller must be \`${endpoint.self}\` of the path.` : '',
    endpoint.actor ? `\`${endpoint.actor}\` of the body must be the caller.` : '',
    endpoint.alwaysSigned ? 'Always needs a request signature.' : '',
    endpoint.price ? `Price: ${endpoint.price} USDC (x402).` : '',
    `Rate class: ${endpoint.rate}.`,
    alias ? `The same as \`${endpoint.path}\`.` : '',
  ]
    .filter(Boolean)
    .join(' ')
}

function pathParameters(endpoint: AnyEndpoint, path: string, book: SchemaBook): Json[] {
  const names = [...path.matchAll(/:([A-Za-z]+)/g)].map(match => match[1]!)
  return names.map(name => ({ name, in: 'path', required: true, schema: book.schema(endpoint.params.shape[name], 'input') }))
}

function queryParameters(endpoint: AnyEndpoint, book: SchemaBook): Json[] {
  return Object.entries(endpoint.query.shape as Record<string, z.ZodType>).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !schema.safeParse(undefined).success,
    schema: book.schema(schema, 'input'),
  }))
}

function headerParameters(endpoint: AnyEndpoint): Json[] {
  const { needs, optional } = callers[endpoint.caller as CallerClass]
  const identity = optional || needs === 'walletOrOracle' || needs === 'agentOrOracle' ? anyIdentity : identityHeaders[needs]
  const idempotency = endpoint.method === 'get' ? [] : [{ name: 'idempotency-key', required: false }]
  return [...identity, ...idempotency].map(({ name, required }) => ({ name, in: 'header', required, schema: { type: 'string' } }))
}

function responses(endpoint: AnyEndpoint, book: SchemaBook): Json {
  const type = endpoint.produces ?? 'application/json'
  const schema = endpoint.produces ? undefined : endpoint.response ? book.schema(endpoint.response, 'output') : { type: 'object' }
  const good = { description: 'Done', content: { [type]: schema ? { schema } : {} } }
  const codes = new Map<number, ErrorCode[]>()
  for (const code of endpoint.errors) codes.set(errors[code].status, [...(codes.get(errors[code].status) ?? []), code])
  return Object.fromEntries([
    ...[endpoint.status, ...endpoint.also].map(status => [String(status), good]),
    ...[...codes].map(([status, names]) => [String(status), { description: names.join(', '), content: errorContent }]),
    ['default', { description: 'Any error', content: errorContent }],
  ])
}

const errorContent = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
/** Every error body; REPLAY_DETECTED says `error` in place of `message`. */
const errorSchema = (book: SchemaBook): Json => ({
  type: 'object',
  properties: {
    message: { type: 'string' },
    error: { type: 'string' },
    code: { type: 'string', enum: Object.keys(errors) },
    status: { type: 'integer' },
    requestId: { type: 'string' },
    retryable: { type: 'boolean' },
    errors: {
      type: 'array',
      items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } }, required: ['path', 'message'] },
    },
    details: { type: 'object', properties: { options: book.schema(fundingOptions, 'output') } },
  },
  required: ['code', 'status'],
})

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
