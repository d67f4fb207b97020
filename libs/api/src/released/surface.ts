import { type Json, selfContained } from '../core/json-schema.ts'
import type { ServiceApi } from '../core/service-api.ts'

/** Types by the place of a field: `gigs[].id` → `string`. */
type Fields = Record<string, string>

/** What an event carries, or what an operation accepts and answers. */
export interface Promised {
  gives: Fields
  accepts: Fields
  /** Fields without which a request is refused. */
  needs: string[]
}

/** What clients and readers rely on, by the type of an event, or method and path of an operation. */
export type Surface = Record<string, Promised>

/** @example surfaceOf(Object.values(apis)) */
export function surfaceOf(apis: readonly ServiceApi[]): Surface {
  const open = apis.filter(({ planned }) => !planned)
  const events = open
    .flatMap(api => Object.values(api.events))
    .map(({ type, payload }) => [type, { gives: fieldsIn(selfContained(payload, 'input')), accepts: {}, needs: [] }])
  const operations = open
    .flatMap(api => Object.values(api.endpoints).filter(({ planned }) => !planned))
    .map(({ method, path, query, body, response }) => {
      const parts = [selfContained(query, 'input'), ...(body ? [selfContained(body, 'input')] : [])]
      const promise = {
        gives: response ? fieldsIn(selfContained(response, 'output')) : {},
        accepts: Object.assign({}, ...parts.map(part => fieldsIn(part))) as Fields,
        needs: parts.flatMap(({ required = [] }) => required as string[]),
      }
      return [`${method.toUpperCase()} ${path.replace(/:\w+/g, ':')}`, promise]
    })
  return Object.fromEntries([...events, ...operations].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))) as Surface
}

function fieldsIn(schema: Json, place = ''): Fields {
  const {
    type,
    properties = {},
    items,
    anyOf = [],
    oneOf = [],
    allOf = [],
  } = schema as Record<string, Json> & { anyOf?: Json[]; oneOf?: Json[]; allOf?: Json[] }
  const fields: Fields = {}
  const add = (more: Fields) => {
    for (const [name, types] of Object.entries(more)) fields[name] = united(fields[name], types)
  }
  if (type !== undefined && place !== '') add({ [place]: [type].flat().map(String).sort().join('|') })
  for (const choice of [...anyOf, ...oneOf, ...allOf]) add(fieldsIn(choice, place))
  if (items) add(fieldsIn(items, `${place}[]`))
  for (const [name, field] of Object.entries(properties as Record<string, Json>)) add(fieldsIn(field, place === '' ? name : `${place}.${name}`))
  return fields
}

const united = (one: string | undefined, other: string): string => [...new Set([...(one?.split('|') ?? []), ...other.split('|')])].sort().join('|')

/** What the present interface removes of a released one, or requires beyond it; fields, events and operations may be added. */
export function broken(released: Surface, present: Surface): string[] {
  return Object.entries(released).flatMap(([name, { gives, accepts, needs }]) => {
    const now = present[name]
    if (!now) return [`${name} is missing`]
    const changed = Object.entries(gives).filter(([field, types]) => now.gives[field] !== types)
    const refused = Object.entries(accepts).filter(([field, types]) => !types.split('|').every(type => now.accepts[field]?.split('|').includes(type)))
    const needed = now.needs.filter(field => !needs.includes(field))
    return [
      ...changed.map(([field, types]) => `${name}: ${field} was ${types} and is ${now.gives[field] ?? 'missing'}`),
      ...refused.map(([field, types]) => `${name}: ${field} was accepted as ${types} and is as ${now.accepts[field] ?? 'nothing'}`),
      ...needed.map(field => `${name}: ${field} is needed, and was not`),
    ]
  })
}
