import { type Json, selfContained } from '../core/json-schema.ts'
import type { AnyEndpoint } from '../core/service-api.ts'

/** The extension `bazaar` of x402: the input and output of a call, for catalogues and for agents that meet the price for the first time. */
export interface Bazaar {
  info: { input: Json; output: Json }
  /** JSON Schema 2020-12 of `info`. */
  schema: Json
  /** Of a path with parameters. */
  routeTemplate?: string
}

/** The call that is described, with valid values of its fields. */
export interface DescribedCall {
  endpoint: AnyEndpoint
  params?: Json
  query?: Json
  body?: Json
  /** Whose answer it answers with, where that is not its own: POST /api/x402/pay. */
  answers?: AnyEndpoint
}

const dialect = 'https://json-schema.org/draft/2020-12/schema'
const schemas = new Map<string, Json>()
/** Levels of an answer that a challenge describes: it is a header, and OpenAPI has the rest. */
const describedLevels = 3

/** The declaration that `declareDiscoveryExtension` of @x402/extensions makes, with the schemas of libs/api. */
export function bazaarOf({ endpoint, params = {}, query = {}, body, answers = endpoint }: DescribedCall): Bazaar {
  const method = endpoint.method.toUpperCase()
  const hasParams = Object.keys(endpoint.params.shape).length > 0
  const sent = body === undefined ? { queryParams: query } : { bodyType: 'json', body }
  return {
    info: { input: { type: 'http', method, ...sent, ...(hasParams ? { pathParams: params } : {}) }, output: { type: 'json' } },
    schema: schemaOf(endpoint, answers),
    ...(hasParams ? { routeTemplate: endpoint.path } : {}),
  }
}

/** Made once for each endpoint: it is part of every challenge. */
function schemaOf(endpoint: AnyEndpoint, answers: AnyEndpoint): Json {
  const key = `${endpoint.path} ${answers.path}`
  const cached = schemas.get(key)
  if (cached) return cached
  const { body, params, query, response } = endpoint
  const hasParams = Object.keys(params.shape).length > 0
  const sent = body
    ? { bodyType: { type: 'string', enum: ['json'] }, body: selfContained(body, 'input') }
    : { queryParams: selfContained(query, 'input') }
  const answer = answers.response ?? response
  const schema = {
    $schema: dialect,
    type: 'object',
    properties: {
      input: {
        type: 'object',
        properties: {
          type: { type: 'string', const: 'http' },
          method: { type: 'string', enum: [endpoint.method.toUpperCase()] },
          ...sent,
          ...(hasParams ? { pathParams: selfContained(params, 'input') } : {}),
        },
        required: ['type', 'method', ...(body ? ['bodyType', 'body'] : [])],
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: { type: { type: 'string' }, example: answer ? outline(selfContained(answer, 'output'), describedLevels) : { type: 'object' } },
        required: ['type'],
      },
    },
    required: ['input'],
  }
  schemas.set(key, schema)
  return schema
}

/** A schema down to so many levels of fields; what lies deeper is named by its type. */
function outline(schema: Json, levels: number): Json {
  if (levels === 0) return schema.type === undefined ? {} : { type: schema.type }
  const { properties, items } = schema as { properties?: Record<string, Json>; items?: Json }
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, outline(field, levels - 1)])) }),
    ...(items && { items: outline(items, levels - 1) }),
  }
}
