import { apis, asyncapi } from '@carapace/api'

interface JsonSchema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  pattern?: string
  minimum?: number
  exclusiveMinimum?: number
  minItems?: number
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
}

/** One of them fits each pattern of the declarations. */
const texts = [
  '0190a5d0-0000-7000-8000-000000000001',
  '2026-01-01T00:00:00.000Z',
  `0x${'ab'.repeat(32)}`,
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '1',
  'test.kind:id-1',
  'name.molt',
  'name',
]

const document = asyncapi(Object.values(apis), '1') as unknown as {
  components: {
    messages: Record<string, { payload: { allOf: [unknown, { properties: { data: JsonSchema } }] } }>
    schemas: Record<string, JsonSchema>
  }
}

/**
 * A payload of an event as it travels, made of its schema: what may be left out is there, what may be null is not.
 * @throws Error for a pattern that no sample text fits
 */
export const samplePayload = (type: string): Record<string, unknown> =>
  sample(document.components.messages[type]!.payload.allOf[1].properties.data) as Record<string, unknown>

function sample(schema: JsonSchema): unknown {
  if (schema.$ref) return sample(document.components.schemas[schema.$ref.replace('#/components/schemas/', '')]!)
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum[0]
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (choices) return sample(choices.find(({ type }) => type !== 'null')!)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, field]) => [name, sample(field)]))
  if (type === 'array') return Array.from({ length: Math.max(1, schema.minItems ?? 0) }, () => sample(schema.items ?? {}))
  if (type === 'string') return textFor(schema.pattern)
  if (type === 'number' || type === 'integer') return Math.max(schema.minimum ?? 1, (schema.exclusiveMinimum ?? 0) + 1)
  return type === 'boolean' ? true : null
}

function textFor(pattern: string | undefined): string {
  const found = texts.find(text => pattern === undefined || new RegExp(pattern).test(text))
  if (found === undefined) throw new Error(`no sample text fits ${pattern}`)
  return found
}
