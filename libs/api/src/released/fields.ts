import type { Json } from '../core/json-schema.ts'

/** What a schema says of each field, by its place: `gigs[].id`, of a record `names.*`. */
export interface FieldFacts {
  /** `null|string` */
  types: Record<string, string>
  /** Of those that have a choice, what it is between. */
  values: Record<string, string[]>
  /** Those that may be missing where the object that they belong to is there. */
  optional: string[]
  /** Those without which no form of that object is complete. */
  required: string[]
}

interface Field {
  types: Set<string>
  /** undefined: anything of its types. */
  values: Set<string> | undefined
}

/** One form of an object: a place has several where its schema is a union. */
interface Form {
  fields: string[]
  required: ReadonlySet<string>
}

type Schema = Record<string, unknown> & {
  properties?: Record<string, Json>
  required?: string[]
  items?: Json
  anyOf?: Json[]
  oneOf?: Json[]
  allOf?: Json[]
}

/** @example factsOf(selfContained(gig, 'output')).types.budget // 'number' */
export function factsOf(...schemas: readonly Json[]): FieldFacts {
  const fields = new Map<string, Field>()
  const forms = new Map<string, Form[]>()
  for (const schema of schemas) walk(schema, '', fields, forms)
  const named = [...fields]
  return {
    types: Object.fromEntries(named.map(([place, { types }]) => [place, [...types].sort().join('|')])),
    values: Object.fromEntries(named.flatMap(([place, { values }]) => (values?.size ? [[place, [...values].sort()]] : []))),
    optional: inSome(forms).sort(),
    required: inEach(forms).sort(),
  }
}

const within = (place: string, name: string): string => (place === '' ? name : `${place}.${name}`)
const names = (forms: readonly Form[]): string[] => [...new Set(forms.flatMap(({ fields }) => fields))]

const inSome = (places: ReadonlyMap<string, readonly Form[]>): string[] =>
  [...places].flatMap(([place, forms]) =>
    names(forms)
      .filter(name => forms.some(({ required }) => !required.has(name)))
      .map(name => within(place, name)),
  )

const inEach = (places: ReadonlyMap<string, readonly Form[]>): string[] =>
  [...places].flatMap(([place, forms]) =>
    names(forms)
      .filter(name => forms.every(({ required }) => required.has(name)))
      .map(name => within(place, name)),
  )

function walk(given: Json, place: string, fields: Map<string, Field>, forms: Map<string, Form[]>): void {
  const schema = whole(given)
  if (schema.type !== undefined && place !== '') add(fields, place, schema)
  for (const choice of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) walk(choice, place, fields, forms)
  if (schema.items) walk(schema.items, `${place}[]`, fields, forms)
  if (isSchema(schema.additionalProperties)) walk(schema.additionalProperties, within(place, '*'), fields, forms)
  if (!schema.properties) return
  const form = { fields: Object.keys(schema.properties), required: new Set(schema.required) }
  forms.set(place, [...(forms.get(place) ?? []), form])
  for (const [name, field] of Object.entries(schema.properties)) walk(field, within(place, name), fields, forms)
}

const isSchema = (part: unknown): part is Json => typeof part === 'object' && part !== null

/** With the parts that hold at the same time as one. */
function whole(schema: Schema): Schema {
  if (!schema.allOf) return schema
  const { allOf, ...own } = schema
  const parts: Schema[] = [own, ...allOf.map(whole)]
  return {
    ...(Object.assign({}, ...parts) as Schema),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as Record<string, Json>,
    required: parts.flatMap(({ required = [] }) => required),
  }
}

function add(fields: Map<string, Field>, place: string, schema: Schema): void {
  const types = [schema.type].flat().map(String)
  const before = fields.get(place)
  const all = new Set([...(before?.types ?? []), ...types])
  // null is no choice of its own: the types say that it may be
  if (types.every(type => type === 'null')) fields.set(place, { types: all, values: before ? before.values : new Set() })
  else {
    const values = valuesOf(schema)
    const isFree = !values || (before !== undefined && !before.values)
    fields.set(place, { types: all, values: isFree ? undefined : new Set([...(before?.values ?? []), ...values]) })
  }
}

function valuesOf({ enum: choices, const: only }: Schema): string[] | undefined {
  if (Array.isArray(choices)) return choices.filter(choice => choice !== null).map(String)
  return only === undefined ? undefined : [String(only)]
}
