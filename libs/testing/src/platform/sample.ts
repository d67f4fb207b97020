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
  required?: string[]
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

/** `least`: null or left out wherever the schema allows it; a number: everything is there, with that choice of every union and enumeration. */
type Variant = 'least' | number

const choicesTried = 4

/**
 * Payloads of an event as they travel, made of its schema: one with everything that may be there for each of the first choices of its unions and
 * enumerations, and one with nothing but what must be there.
 * @throws Error for a pattern that no sample text fits
 */
export function samplePayloads(type: string): Record<string, unknown>[] {
  const schema = document.components.messages[type]!.payload.allOf[1].properties.data
  const variants: Variant[] = ['least', ...Array.from({ length: choicesTried }, (_, choice) => choice)]
  const made = new Map(variants.map(variant => sample(schema, variant)).map(payload => [JSON.stringify(payload), payload]))
  return [...made.values()] as Record<string, unknown>[]
}

const pick = <T>(choices: readonly T[], variant: Variant): T => choices[variant === 'least' ? 0 : variant % choices.length]!

function sample(schema: JsonSchema, variant: Variant): unknown {
  const isLeast = variant === 'least'
  if (schema.$ref) return sample(document.components.schemas[schema.$ref.replace('#/components/schemas/', '')]!, variant)
  if ('const' in schema) return schema.const
  if (schema.enum) return pick(schema.enum, variant)
  if (schema.allOf) return sample(schema.allOf[0]!, variant)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) {
    if (isLeast && choices.some(({ type }) => type === 'null')) return null
    const filled = choices.filter(({ type }) => type !== 'null')
    return sample(pick(filled, variant), variant)
  }
  if (isLeast && Array.isArray(schema.type) && schema.type.includes('null')) return null
  const type = Array.isArray(schema.type) ? schema.type.find(one => one !== 'null') : schema.type
  if (type === 'object') {
    const fields = Object.entries(schema.properties ?? {}).filter(([name]) => !isLeast || schema.required?.includes(name))
    return Object.fromEntries(fields.map(([name, field]) => [name, sample(field, variant)]))
  }
  if (type === 'array') {
    const length = Math.max(isLeast ? 0 : 1, schema.minItems ?? 0)
    return Array.from({ length }, () => sample(schema.items ?? {}, variant))
  }
  if (type === 'string') return textFor(schema.pattern)
  if (type === 'number' || type === 'integer') return Math.max(schema.minimum ?? 1, (schema.exclusiveMinimum ?? 0) + 1)
  return type === 'boolean' ? variant !== 'least' && variant % 2 === 0 : null
}

function textFor(pattern: string | undefined): string {
  const found = texts.find(text => pattern === undefined || new RegExp(pattern).test(text))
  if (found === undefined) throw new Error(`no sample text fits ${pattern}`)
  return found
}
