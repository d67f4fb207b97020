import { type Json, typesOnly } from '@carapace/api'

/**
 * The schema of an answer for a reader that has to read those of all tools: the fields of the answer, and those of the entries of its lists, with types,
 * choices and words. Bounds, and what lies deeper, are in openapi.json; fields may be added.
 */
export const brief = (schema: Json): Json => short(shown(typesOnly(schema) as Json, 2))

/** The instructions of the server name the unit. */
const knownUnit = 'Whole USDC, at most 6 decimals'
const uuid = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'

/** The same schema in fewer words, without what a reader of all tools knows already. */
export const short = (schema: Json): Json =>
  Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      if (key === 'pattern' && value === uuid) return [['format', 'uuid']]
      if (key === 'description' && value === knownUnit) return [[key, 'USDC']]
      return [[key, shortened(value)]]
    }),
  )

const shortened = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(shortened)
  return typeof part === 'object' && part !== null ? short(part as Json) : part
}

function shown({ additionalProperties: _, ...schema }: Json, levels: number): Json {
  const { anyOf, items, properties, required, ...plain } = schema as {
    anyOf?: Json[]
    items?: Json
    properties?: Record<string, Json>
    required?: unknown
  }
  if (anyOf) return { ...plain, ...either(anyOf.map(one => shown(one, levels))) }
  if (items) return { ...plain, ...(levels > 0 ? { items: shown(items, 1) } : {}) }
  if (!properties || levels === 0) return plain
  const fields = Object.entries(properties).map(([name, field]) => [name, shown(field, isList(field) ? levels - 1 : 0)])
  return { ...plain, properties: Object.fromEntries(fields), ...(levels === 2 ? { required } : {}) }
}

const isList = ({ type }: Json): boolean => type === 'array'

/** What may be null in few words. */
function either(choices: Json[]): Json {
  const [one, none] = choices
  if (choices.length !== 2 || none?.type !== 'null' || typeof one?.type !== 'string') return { anyOf: choices }
  return { ...one, type: [one.type, 'null'], ...(Array.isArray(one.enum) ? { enum: [...one.enum, null] } : {}) }
}
