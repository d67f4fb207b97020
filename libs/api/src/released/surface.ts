import { errors } from '../core/errors.ts'
import { selfContained } from '../core/json-schema.ts'
import type { AnyEndpoint, ServiceApi } from '../core/service-api.ts'
import { factsOf } from './fields.ts'

/** Types by the place of a field: `gigs[].id` → `string`. */
type Fields = Record<string, string>
/** What a field chooses between, by its place. */
type Choices = Record<string, string[]>

/** What an event carries, or what an operation accepts and answers. */
export interface Promised {
  gives: Fields
  /** Fields of what is given that may be missing. */
  optional: string[]
  givesOneOf: Choices
  accepts: Fields
  acceptsOneOf: Choices
  /** Fields without which a request is refused. */
  needs: string[]
  /** Success statuses. */
  statuses: number[]
  /** Codes of refusals that are its own. */
  errors: string[]
}

/** What clients and readers rely on, by the type of an event, method and path of an operation, or `errors`: each code with its status. */
export type Surface = Record<string, Promised>

const nothing: Promised = { gives: {}, optional: [], givesOneOf: {}, accepts: {}, acceptsOneOf: {}, needs: [], statuses: [], errors: [] }

/** @example surfaceOf(Object.values(apis)) */
export function surfaceOf(apis: readonly ServiceApi[]): Surface {
  const open = apis.filter(({ planned }) => !planned)
  const events = open
    .flatMap(api => Object.values(api.events))
    .map(({ type, payload }) => {
      const { types, values, optional } = factsOf(selfContained(payload, 'input'))
      return [type, { ...nothing, gives: types, optional, givesOneOf: values }]
    })
  const operations = open
    .flatMap(api => Object.values(api.endpoints).filter(({ planned }) => !planned))
    .flatMap(endpoint =>
      [endpoint.path, ...endpoint.aliases].map(path => [`${endpoint.method.toUpperCase()} ${path.replace(/:\w+/g, ':')}`, promisedBy(endpoint)]),
    )
  return { errors: codes(), ...Object.fromEntries([...events, ...operations].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))) } as Surface
}

const codes = (): Promised => ({
  ...nothing,
  gives: Object.fromEntries(Object.entries(errors).map(([code, error]) => [code, `${error.status}${'retryable' in error ? ' retryable' : ''}`])),
})

function promisedBy({ query, body, response, status, also, errors: own }: AnyEndpoint): Promised {
  const given = response ? factsOf(selfContained(response, 'output')) : factsOf()
  const parts = [factsOf(selfContained(query, 'input')), ...(body ? [factsOf(selfContained(body, 'input'))] : [])]
  return {
    gives: given.types,
    optional: given.optional,
    givesOneOf: given.values,
    accepts: Object.assign({}, ...parts.map(({ types }) => types)) as Fields,
    acceptsOneOf: Object.assign({}, ...parts.map(({ values }) => values)) as Choices,
    needs: parts.flatMap(({ required }) => required),
    statuses: [status, ...also],
    errors: [...own].sort(),
  }
}

/**
 * What the present interface removes of a released one, or requires beyond it. Fields, events, operations, codes and values may be added: readers ignore
 * what they do not know.
 */
export function broken(released: Surface, present: Surface): string[] {
  return Object.entries(released).flatMap(([name, before]) => {
    const now = present[name]
    if (!now) return [`${name} is missing`]
    return [...lessGiven(before, now), ...moreWanted(before, now)].map(fault => `${name}: ${fault}`)
  })
}

function lessGiven(before: Promised, now: Promised): string[] {
  const fields = Object.entries(before.gives)
  return [
    ...fields
      .filter(([field, types]) => now.gives[field] !== types)
      .map(([field, types]) => `${field} was ${types} and is ${now.gives[field] ?? 'missing'}`),
    ...now.optional
      .filter(field => field in before.gives && !before.optional.includes(field))
      .map(field => `${field} was always there, and may be missing`),
    ...Object.entries(before.givesOneOf).flatMap(([field, values]) =>
      missing(values, now.givesOneOf[field], value => `${field} was ${value} in some answers, and never is`),
    ),
    ...missing(before.statuses, now.statuses, status => `it answered ${status}, and never does`),
    ...missing(before.errors, now.errors, code => `it refused with ${code}, and never does`),
  ]
}

function moreWanted(before: Promised, now: Promised): string[] {
  const fields = Object.entries(before.accepts)
  const isAccepted = (field: string, types: string) => types.split('|').every(type => now.accepts[field]?.split('|').includes(type))
  /** What is needed within a field that is new burdens nobody who does not send it. */
  const isNew = (field: string) => field.includes('.') && !(field.slice(0, field.lastIndexOf('.')) in before.accepts)
  return [
    ...fields
      .filter(([field, types]) => !isAccepted(field, types))
      .map(([field, types]) => `${field} was accepted as ${types} and is as ${now.accepts[field] ?? 'nothing'}`),
    ...now.needs.filter(field => !before.needs.includes(field) && !isNew(field)).map(field => `${field} is needed, and was not`),
    ...Object.entries(now.acceptsOneOf).flatMap(([field, values]) => narrowed(field, values, before)),
  ]
}

/** A choice where anything was accepted, or one with less in it. */
function narrowed(field: string, values: readonly string[], { accepts, acceptsOneOf }: Promised): string[] {
  if (!(field in accepts)) return []
  const before = acceptsOneOf[field]
  if (!before) return [`${field} was anything and is one of ${values.join(', ')}`]
  return missing(before, values, value => `${field} was accepted as ${value}`)
}

const missing = <Value>(before: readonly Value[], now: readonly Value[] | undefined, says: (value: Value) => string): string[] =>
  before.filter(value => !now?.includes(value)).map(says)
