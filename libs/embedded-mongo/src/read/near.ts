import { type Point, pairOf, pointOf, shapeOf } from '../geo/geometry.ts'
import { earthRadiusMetres, plane, sphere, vertices } from '../geo/space.ts'
import type { Collection } from '../storage/catalog.ts'
import { fail } from '../values/errors.ts'
import { anyAt } from '../values/path.ts'
import { asDoc, asNumber, type Doc, isDoc, isNumeric, setOwn } from '../values/values.ts'

/** A query by distance. */
export interface Near {
  path: string
  centre: Point
  /** What distances are measured in: metres or radians on the earth, or the unit of the plane. */
  unit: 'metres' | 'radians' | 'plane'
  min: number
  max: number
}

const operators = ['$near', '$nearSphere', '$geoNear'] as const
const distances = ['$minDistance', '$maxDistance']

/** Splits `$near` or `$nearSphere` off a filter, from the top level or a top-level `$and`; undefined when there is none. */
export function splitNear(filter: Doc): { near: Doc; path: string; rest: Doc } | undefined {
  for (const key of Object.keys(filter)) {
    const condition = filter[key]
    if (key === '$and' && Array.isArray(condition)) {
      for (const [i, clause] of condition.entries()) {
        const inner = isDoc(clause) ? splitNear(clause) : undefined
        if (inner) return { ...inner, rest: withField(filter, key, condition.with(i, inner.rest)) }
      }
    } else if (isDoc(condition) && operators.some(operator => Object.hasOwn(condition, operator))) {
      const others = Object.keys(condition).filter(name => !operators.some(operator => operator === name) && !distances.includes(name))
      const rest = others.length > 0 ? withField(filter, key, Object.fromEntries(others.map(name => [name, condition[name]]))) : without(filter, key)
      return { near: condition, path: key, rest }
    }
  }
  return undefined
}

/** Reads the operator; a pair without a geometry is measured as the collection's index measures. Throws 291 without such an index. */
export function nearOf(collection: Collection, path: string, condition: Doc): Near {
  const kinds = geoKinds(collection, path)
  if (kinds.length === 0) fail(291, 'error processing query: planner returned error :: caused by :: unable to find index for $geoNear query')
  const operator = operators.find(name => Object.hasOwn(condition, name))!
  const arg = condition[operator]
  const geometry = isDoc(arg) ? arg.$geometry : undefined
  const limits = { ...condition, ...(geometry === undefined ? {} : asDoc(arg)) }
  const min = distanceIn(limits, '$minDistance') ?? 0
  if (geometry !== undefined) {
    const centre = pointOf(geometry) ?? fail(2, `$near requires a point, given ${JSON.stringify(geometry)}`)
    return { path, centre, unit: 'metres', min, max: distanceIn(limits, '$maxDistance') ?? Number.POSITIVE_INFINITY }
  }
  const bare = isDoc(arg) && arg.type !== undefined ? pointOf(arg) : undefined
  if (bare && kinds.includes('2dsphere'))
    return { path, centre: bare, unit: 'metres', min, max: distanceIn(limits, '$maxDistance') ?? Number.POSITIVE_INFINITY }
  const centre = pairOf(arg) ?? fail(2, 'Point must be an array or object of two numbers')
  const third = Array.isArray(arg) && isNumeric(arg[2]) ? asNumber(arg[2]) : undefined
  const isPlane = operator !== '$nearSphere' && kinds.includes('2d')
  return { path, centre, unit: isPlane ? 'plane' : 'radians', min, max: distanceIn(limits, '$maxDistance') ?? third ?? Number.POSITIVE_INFINITY }
}

/** How far the nearest of a document's places is, with that place; undefined when it has none within the limits. */
export function distanceTo({ path, centre, unit, min, max }: Near, doc: Doc): { distance: number; place: unknown } | undefined {
  let nearest: { distance: number; place: unknown } | undefined
  const measure = (value: unknown) => {
    const shape = shapeOf(value)
    if (!shape) return false
    for (const point of vertices(shape)) {
      const raw = (unit === 'plane' ? plane : sphere).distance(centre, point)
      const distance = unit === 'metres' ? raw * earthRadiusMetres : raw
      if (distance >= min && distance <= max && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY)) nearest = { distance, place: value }
    }
    return false
  }
  anyAt(path, measure, true)(doc)
  return nearest
}

/** The kinds of geo index that a collection has on a field. */
export function geoKinds({ indexes }: Pick<Collection, 'indexes'>, path: string): string[] {
  return indexes.map(({ spec }) => asDoc(spec.key)?.[path]).filter(kind => kind === '2d' || kind === '2dsphere')
}

function distanceIn(limits: Doc, name: string): number | undefined {
  const value = limits[name]
  if (value === undefined) return undefined
  const distance = isNumeric(value) ? asNumber(value) : Number.NaN
  return distance >= 0 ? distance : fail(2, `${name} must be non-negative`)
}

function withField(filter: Doc, key: string, value: unknown): Doc {
  const copy = { ...filter }
  setOwn(copy, key, value)
  return copy
}

function without(filter: Doc, key: string): Doc {
  const { [key]: _removed, ...rest } = filter
  return rest
}
