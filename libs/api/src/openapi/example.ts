import type { Json } from '../core/json-schema.ts'

interface SchemaParts {
  $ref?: string
  examples?: unknown[]
  anyOf?: Json[]
  oneOf?: Json[]
  allOf?: Json[]
  type?: string | string[]
}

/** Tried in this order for a text with a pattern; the first that fits is the example. */
const texts = [
  'An example of a text',
  'example-agent',
  '01934f3a-5b7c-7d2e-8f10-2a3b4c5d6e7f',
  '2026-01-15T12:00:00.000Z',
  'https://example.org/report',
  `0x${'70997970c51812dc3a010c7d01b50e0d17dc79c8'}`,
  `0x${'4f'.repeat(32)}`,
  `0x${'1c'.repeat(65)}`,
  '/api/agents/example-agent/reputation',
  'true',
  '12',
]
const formats: Record<string, string> = {
  uri: 'https://example.org/report',
  uuid: '01934f3a-5b7c-7d2e-8f10-2a3b4c5d6e7f',
  'date-time': '2026-01-15T12:00:00.000Z',
}

/**
 * A value that a JSON schema accepts, made of nothing but the schema: the same schema has always the same example.
 * @param resolve the schema that a reference names
 * @throws Error where no text fits a pattern: then the declaration names an example of its own
 */
export function exampleOf(schema: Json, resolve: (reference: string) => Json): unknown {
  const { $ref, examples, anyOf, oneOf, allOf, type } = schema as SchemaParts
  if ($ref) return exampleOf(resolve($ref), resolve)
  if (examples) return examples[0]
  if ('const' in schema) return schema.const
  if ('enum' in schema) return (schema.enum as unknown[])[0]
  if ('default' in schema) return schema.default
  const part = anyOf?.[0] ?? oneOf?.[0] ?? allOf?.[0]
  if (part) return exampleOf(part, resolve)
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return Object.fromEntries(
        Object.entries((schema.properties ?? {}) as Record<string, Json>).map(([name, property]) => [name, exampleOf(property, resolve)]),
      )
    case 'array':
      return schema.items ? [exampleOf(schema.items as Json, resolve)] : []
    case 'string':
      return textFor(schema)
    case 'number':
    case 'integer':
      return numberFor(schema as { minimum?: number; maximum?: number; exclusiveMinimum?: number })
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return {}
  }
}

function textFor({ pattern, format, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Json): string {
  const sample = formats[format as string]
  if (sample) return sample
  const fits = (text: string) =>
    text.length >= (minLength as number) &&
    text.length <= (maxLength as number) &&
    (pattern === undefined || new RegExp(pattern as string, 'u').test(text))
  const found = texts.find(fits) ?? [texts[0]!.slice(0, maxLength as number), texts[0]!.repeat(2)].find(fits)
  if (found === undefined) throw new Error(`no example fits ${String(pattern)}`)
  return found
}

function numberFor({ minimum, maximum, exclusiveMinimum }: { minimum?: number; maximum?: number; exclusiveMinimum?: number }): number {
  const least = Math.max(minimum ?? 0, exclusiveMinimum === undefined ? 0 : exclusiveMinimum + 1)
  return Math.min(Math.max(12, least), maximum ?? Number.POSITIVE_INFINITY)
}
