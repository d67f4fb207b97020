import { z } from 'zod'

export type Json = Record<string, unknown>

/** Gathers named schemas of one document; `schema` gives back what to put in place, with references to the named ones. */
export interface SchemaBook {
  /** JSON Schema 2020-12. input = what a request may hold, output = what an answer holds. */
  schema(type: z.ZodType, io: 'input' | 'output'): Json
  /** The same without a reference to the schema itself: generators treat a default of a named schema as a field that is always there. */
  inline(type: z.ZodType, io: 'input' | 'output'): Json
  /** The named schemas met so far, by name, in order of name. */
  named(): Record<string, Json>
}

/**
 * Converts zod schemas into JSON Schema whose `.meta({ id })` parts live under `prefix`.
 * @throws Error when two different schemas bear one name
 */
export function schemaBook(prefix: string): SchemaBook {
  const book = new Map<string, Json>()
  const converted = (type: z.ZodType, io: 'input' | 'output', own?: string) => {
    const { $defs = {}, ...whole } = z.toJSONSchema(z.object({ it: type }), { io, override: ({ jsonSchema }) => tidy(jsonSchema as Json) }) as Json
    const parts = $defs as Record<string, Json>
    for (const [name, part] of Object.entries(parts)) if (name !== own) add(book, name, relocate(part, prefix) as Json)
    return { it: (whole.properties as Record<string, Json>).it!, parts }
  }
  return {
    // Wrapped, so that a schema that has a name of its own becomes a reference too.
    schema: (type, io) => relocate(converted(type, io).it, prefix) as Json,
    inline: (type, io) => {
      const own = type.meta()?.id
      const { it, parts } = converted(type, io, own)
      const { id: _, ...plain } = own === undefined ? it : parts[own]!
      return relocate(plain, prefix) as Json
    },
    named: () => Object.fromEntries([...book].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/** JSON Schema 2020-12 that refers to nothing outside itself: it may lie anywhere in another document. */
export function selfContained(type: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema, $defs = {}, ...whole } = z.toJSONSchema(type, { io, override: ({ jsonSchema }) => tidy(jsonSchema as Json) }) as Json
  return inlined(whole, $defs as Record<string, Json>) as Json
}

/** What narrows a value within its type. */
const narrowing = new Set([
  ...['$schema', 'default', 'examples', 'format', 'multipleOf', 'pattern', 'maxItems', 'minItems', 'maxLength', 'minLength'],
  ...['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum'],
])

/** A schema with types, names, choices and words alone: what a reader of answers needs, in a part of the size. */
export function typesOnly(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(typesOnly)
  if (typeof part !== 'object' || part === null) return part
  const entries = Object.entries(part).filter(([key]) => !narrowing.has(key))
  // a field may have a name of those
  const fields = (all: object) => Object.fromEntries(Object.entries(all).map(([name, field]) => [name, typesOnly(field)]))
  return Object.fromEntries(entries.map(([key, value]) => [key, key === 'properties' ? fields(value as object) : typesOnly(value)]))
}

function inlined(part: unknown, named: Record<string, Json>): unknown {
  if (Array.isArray(part)) return part.map(item => inlined(item, named))
  if (typeof part !== 'object' || part === null) return part
  const { $ref, ...own } = part as Json
  if (typeof $ref !== 'string') return Object.fromEntries(Object.entries(own).map(([key, value]) => [key, inlined(value, named)]))
  const { id: _, ...target } = named[$ref.slice('#/$defs/'.length)]!
  return { ...(inlined(target, named) as Json), ...own }
}

function add(book: Map<string, Json>, name: string, schema: Json): void {
  const { id: _, ...plain } = schema
  const defined = book.get(name)
  if (defined && JSON.stringify(defined) !== JSON.stringify(plain)) throw new Error(`two different schemas are named ${name}`)
  book.set(name, plain)
}

// A query parameter is text on the wire and declared as the number it stands for.
function tidy(schema: Json): void {
  if (schema.type !== 'string') delete schema.pattern
  if ((schema.type === 'integer' || schema.type === 'number') && typeof schema.default === 'string') schema.default = Number(schema.default)
}

function relocate(part: unknown, prefix: string): unknown {
  if (Array.isArray(part)) return part.map(item => relocate(item, prefix))
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) =>
      key === '$ref' && typeof value === 'string' ? [key, value.replace('#/$defs/', prefix)] : [key, relocate(value, prefix)],
    ),
  )
}
