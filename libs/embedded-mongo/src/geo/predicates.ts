import { fail } from '../values/errors.ts'
import type { Test } from '../values/path.ts'
import { asNumber, type Doc, isDoc, isNumeric } from '../values/values.ts'
import { type Point, pairOf, pointOf, type Shape, shapeOf } from './geometry.ts'
import { intersect, liesWithin, plane, type Space, sphere, vertices } from './space.ts'

/** The argument of `$geoWithin`: a region that must contain a stored geometry. Throws 2 for a malformed one. */
export function withinTest(arg: unknown): Test {
  const spec = isDoc(arg) ? arg : fail(2, '$geoWithin expects an object')
  const names = Object.keys(spec).filter(name => name !== '$uniqueDocs')
  const [name = ''] = names
  const region = names.length === 1 && Object.hasOwn(regions, name) ? regions[name]! : fail(2, `unknown geo specifier: ${name}`)
  const holds = region(spec[name])
  return value => {
    const shape = shapeOf(value)
    return shape !== undefined && holds(shape)
  }
}

/** The argument of `$geoIntersects`: a GeoJSON geometry that a stored one is to meet. */
export function intersectsTest(arg: unknown): Test {
  const wanted = geometryIn(arg, '$geoIntersects')
  return value => {
    const shape = shapeOf(value)
    return shape !== undefined && intersect(sphere, shape, wanted)
  }
}

const regions: Readonly<Record<string, (arg: unknown) => (shape: Shape) => boolean>> = {
  $geometry: arg => {
    const shape = geometryIn({ $geometry: arg }, '$geoWithin')
    if (shape.polygons.length === 0 || shape.points.length > 0 || shape.lines.length > 0)
      return fail(2, '$geoWithin not supported with provided geometry')
    return inner => liesWithin(sphere, inner, shape)
  },
  $box: arg => {
    const [a, b] = pairsIn(arg, '$box', 2)
    const [left, right] = [Math.min(a![0], b![0]), Math.max(a![0], b![0])]
    const [bottom, top] = [Math.min(a![1], b![1]), Math.max(a![1], b![1])]
    return shape => vertices(shape).every(([x, y]) => x >= left && x <= right && y >= bottom && y <= top)
  },
  $polygon: arg => {
    const corners = pairsIn(arg, '$polygon', 3)
    const shape = { points: [], lines: [], polygons: [[[...corners, corners[0]!]]] }
    return inner => liesWithin(plane, inner, shape)
  },
  $center: arg => circle(arg, '$center', plane),
  $centerSphere: arg => circle(arg, '$centerSphere', sphere),
}

function circle(arg: unknown, name: string, space: Space): (shape: Shape) => boolean {
  const [centre, radius] = Array.isArray(arg) ? arg : []
  const middle = pointOf(centre) ?? fail(2, `Point in ${name} is malformed`)
  const limit = isNumeric(radius) ? asNumber(radius) : Number.NaN
  if (!(limit >= 0)) return fail(2, 'radius must be a non-negative number')
  return shape => vertices(shape).every(point => space.distance(middle, point) <= limit)
}

function geometryIn(arg: unknown, operator: string): Shape {
  const geometry = isDoc(arg) ? arg.$geometry : undefined
  if (geometry === undefined) return fail(2, `${operator} needs a $geometry`)
  const shape = isDoc(geometry) && geometry.type !== undefined ? shapeOf(geometry) : undefined
  return shape ?? fail(2, `unknown GeoJSON type or malformed coordinates: ${JSON.stringify(geometry)}`)
}

/** Legacy pairs in an array, or as the values of a document. */
function pairsIn(arg: unknown, name: string, least: number): Point[] {
  const values = Array.isArray(arg) ? arg : isDoc(arg) ? Object.values(arg as Doc) : []
  if (values.length < least) fail(2, `${name} needs at least ${least} points`)
  return values.map(value => pairOf(value) ?? fail(2, `Point in ${name} is malformed`))
}
