import type { Point, Shape } from './geometry.ts'

/** How places relate to each other: in a plane, or on the earth, where edges are arcs of great circles. */
export interface Space {
  /** In the plane's unit, or as an angle in radians. */
  distance(a: Point, b: Point): number
  isInRing(point: Point, ring: readonly Point[]): boolean
  isOnEdge(point: Point, a: Point, b: Point): boolean
  /** Whether two edges cross between their ends. */
  doCross(a: Point, b: Point, c: Point, d: Point): boolean
}

type Vector = readonly [number, number, number]

export const earthRadiusMetres = 6_378_100
const tolerance = 1e-12

export const plane: Space = {
  distance: (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]),
  isInRing: ([x, y], ring) => {
    let isIn = false
    for (const [a, b] of edges(ring)) if (a[1] > y !== b[1] > y && x < ((b[0] - a[0]) * (y - a[1])) / (b[1] - a[1]) + a[0]) isIn = !isIn
    return isIn
  },
  isOnEdge: (p, a, b) => Math.abs(orientation(a, b, p)) <= tolerance && (p[0] - a[0]) * (p[0] - b[0]) + (p[1] - a[1]) * (p[1] - b[1]) <= tolerance,
  doCross: (a, b, c, d) => orientation(a, b, c) * orientation(a, b, d) < 0 && orientation(c, d, a) * orientation(c, d, b) < 0,
}

export const sphere: Space = {
  distance: (a, b) => {
    const [u, v] = [vector(a), vector(b)]
    return Math.atan2(length(cross(u, v)), dot(u, v))
  },
  isInRing: (point, ring) => {
    const p = vector(point)
    const vertices = ring.slice(0, -1).map(vector)
    // A ring goes round the point opposite to an inner one just as well.
    if (dot(p, vertices.reduce(plus)) <= 0) return false
    let angle = 0
    for (let i = 0; i < vertices.length; i++) angle += angleAt(p, vertices[i]!, vertices[(i + 1) % vertices.length]!)
    return Math.abs(angle) > Math.PI
  },
  isOnEdge: (point, from, to) => {
    const [p, a, b] = [vector(point), vector(from), vector(to)]
    const normal = cross(a, b)
    const size = length(normal)
    if (size <= tolerance) return length(minus(p, a)) <= tolerance
    return Math.abs(dot(normal, p)) / size <= tolerance && dot(p, plus(a, b)) >= dot(a, plus(a, b)) - tolerance
  },
  doCross: (from, to, otherFrom, otherTo) => {
    const [a, b, c, d] = [vector(from), vector(to), vector(otherFrom), vector(otherTo)]
    const ab = cross(a, b)
    const cd = cross(c, d)
    const [left, right] = [-dot(ab, c), dot(ab, d)]
    return left * right > 0 && left * -dot(cd, b) > 0 && left * dot(cd, a) > 0
  },
}

/** Whether a place is in a geometry or on the edge of it. */
export function touches(space: Space, point: Point, { points, lines, polygons }: Shape): boolean {
  return (
    points.some(other => other[0] === point[0] && other[1] === point[1]) ||
    lines.some(line => edges(line).some(([a, b]) => space.isOnEdge(point, a, b))) ||
    polygons.some(rings => isInPolygon(space, point, rings))
  )
}

/** Whether two geometries have a place in common. */
export function intersect(space: Space, a: Shape, b: Shape): boolean {
  if (vertices(a).some(point => touches(space, point, b)) || vertices(b).some(point => touches(space, point, a))) return true
  const others = edgesOf(b)
  return edgesOf(a).some(([from, to]) => others.some(([c, d]) => space.doCross(from, to, c, d)))
}

/** Whether a geometry lies in polygons, their edges included. */
export function liesWithin(space: Space, inner: Shape, outer: Shape): boolean {
  if (!vertices(inner).every(point => outer.polygons.some(rings => isInPolygon(space, point, rings)))) return false
  const borders = edgesOf(outer)
  if (edgesOf(inner).some(([a, b]) => borders.some(([c, d]) => space.doCross(a, b, c, d)))) return false
  const holes = outer.polygons.flatMap(rings => rings.slice(1).flat())
  return !holes.some(corner => inner.polygons.some(([outline = []]) => space.isInRing(corner, outline)))
}

export function vertices({ points, lines, polygons }: Shape): Point[] {
  return [...points, ...lines.flat(), ...polygons.flat(2)]
}

function isInPolygon(space: Space, point: Point, [outline = [], ...holes]: readonly Point[][]): boolean {
  const isOnBorder = (ring: readonly Point[]) => edges(ring).some(([a, b]) => space.isOnEdge(point, a, b))
  if (isOnBorder(outline) || holes.some(isOnBorder)) return true
  return space.isInRing(point, outline) && !holes.some(hole => space.isInRing(point, hole))
}

function edgesOf({ lines, polygons }: Shape): [Point, Point][] {
  return [...lines, ...polygons.flat()].flatMap(edges)
}

function edges(points: readonly Point[]): [Point, Point][] {
  return points.slice(1).map((point, i) => [points[i]!, point])
}

function orientation(a: Point, b: Point, c: Point): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/** The angle from one vertex to the next as seen from a point of the sphere. */
function angleAt(p: Vector, a: Vector, b: Vector): number {
  const [u, v] = [minus(a, scaled(p, dot(a, p))), minus(b, scaled(p, dot(b, p)))]
  return Math.atan2(dot(p, cross(u, v)), dot(u, v))
}

function vector([longitude, latitude]: Point): Vector {
  const [lambda, phi] = [(longitude * Math.PI) / 180, (latitude * Math.PI) / 180]
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)]
}

const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
const plus = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
const scaled = (a: Vector, factor: number): Vector => [a[0] * factor, a[1] * factor, a[2] * factor]
const length = (a: Vector): number => Math.sqrt(dot(a, a))
