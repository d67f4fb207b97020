import { asNumber, type Doc, getOwn, isDoc, isNumeric } from '../values/values.ts'

/** Longitude and latitude in degrees, or coordinates in a plane. */
export type Point = readonly [x: number, y: number]

/** What a geometry is made of; a polygon's first ring is its outline, the others are holes. */
export interface Shape {
  points: Point[]
  lines: Point[][]
  polygons: Point[][][]
}

const minRing = 4

/** A GeoJSON geometry, or a pair of numbers in an array or a document; undefined for anything else. */
export function shapeOf(value: unknown): Shape | undefined {
  const pair = pairOf(value)
  if (pair) return { points: [pair], lines: [], polygons: [] }
  if (!isDoc(value) || typeof value.type !== 'string') return undefined
  return geoJson(value)
}

/** The point of a value: a pair or a GeoJSON point. */
export function pointOf(value: unknown): Point | undefined {
  const shape = shapeOf(value)
  return shape?.points.length === 1 && shape.lines.length === 0 && shape.polygons.length === 0 ? shape.points[0] : undefined
}

/** A legacy pair: `[x, y]` or a document whose first two fields are numbers. */
export function pairOf(value: unknown): Point | undefined {
  const values = Array.isArray(value) ? value : isDoc(value) && value.type === undefined ? Object.keys(value).map(key => getOwn(value, key)) : []
  const [x, y] = values
  if (values.length < 2 || !isNumeric(x) || !isNumeric(y)) return undefined
  const point: Point = [asNumber(x), asNumber(y)]
  return point.every(Number.isFinite) ? point : undefined
}

const builders: Readonly<Record<string, (coordinates: unknown) => Partial<Shape> | undefined>> = {
  Point: value => wrap(position(value), point => ({ points: [point] })),
  MultiPoint: value => wrap(listOf(value, position), points => ({ points })),
  LineString: value => wrap(line(value), found => ({ lines: [found] })),
  MultiLineString: value => wrap(listOf(value, line), lines => ({ lines })),
  Polygon: value => wrap(listOf(value, ring), rings => ({ polygons: [rings] })),
  MultiPolygon: value =>
    wrap(
      listOf(value, rings => listOf(rings, ring)),
      polygons => ({ polygons }),
    ),
}

function geoJson({ type, coordinates, geometries }: Doc): Shape | undefined {
  if (type === 'GeometryCollection') {
    const parts = listOf(geometries, shapeOf)
    return (
      parts && {
        points: parts.flatMap(part => part.points),
        lines: parts.flatMap(part => part.lines),
        polygons: parts.flatMap(part => part.polygons),
      }
    )
  }
  const build = Object.hasOwn(builders, String(type)) ? builders[String(type)] : undefined
  const part = build?.(coordinates)
  return part && { points: [], lines: [], polygons: [], ...part }
}

function position(value: unknown): Point | undefined {
  const point = Array.isArray(value) ? pairOf(value) : undefined
  return point && Math.abs(point[0]) <= 180 && Math.abs(point[1]) <= 90 ? point : undefined
}

function line(value: unknown): Point[] | undefined {
  const points = listOf(value, position)
  return points && points.length >= 2 ? points : undefined
}

/** A closed ring: it ends where it begins. */
function ring(value: unknown): Point[] | undefined {
  const points = listOf(value, position)
  if (!points || points.length < minRing) return undefined
  const [first, last] = [points[0]!, points.at(-1)!]
  return first[0] === last[0] && first[1] === last[1] ? points : undefined
}

function listOf<T>(value: unknown, parse: (element: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const parsed: T[] = []
  for (const element of value) {
    const one = parse(element)
    if (one === undefined) return undefined
    parsed.push(one)
  }
  return parsed
}

function wrap<T>(value: T | undefined, make: (value: T) => Partial<Shape>): Partial<Shape> | undefined {
  return value === undefined ? undefined : make(value)
}
