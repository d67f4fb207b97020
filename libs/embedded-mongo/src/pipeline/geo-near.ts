import { Double } from 'bson'
import { type Context, findCollection, optionalDoc, variables, viewFor } from '../engine/context.ts'
import { docOf } from '../read/found.ts'
import { geoKinds, type Near, nearOf } from '../read/near.ts'
import { type Nearest, nearestFirst } from '../read/nearest-first.ts'
import { runQuery } from '../read/read.ts'
import { type Tick, tick } from '../sessions/deadline.ts'
import type { Collection } from '../storage/catalog.ts'
import { withValueAt } from '../values/doc-path.ts'
import { fail } from '../values/errors.ts'
import { asDoc, asNumber, type Doc, isDoc, isNumeric, isTruthy } from '../values/values.ts'

const options = new Set(['near', 'distanceField', 'key', 'maxDistance', 'minDistance', 'query', 'spherical', 'distanceMultiplier', 'includeLocs'])

/** The documents of a pipeline that begins with `$geoNear`, the nearest first, each with its distance. */
export function* geoNearDocuments(context: Context, name: string, arg: unknown): Generator<Doc | Tick> {
  const spec = isDoc(arg) ? arg : fail(10065, '$geoNear must be a document')
  for (const option of Object.keys(spec)) if (!options.has(option)) fail(40415, `BSON field '$geoNear.${option}' is an unknown field.`)
  const { distanceField, includeLocs, distanceMultiplier } = spec
  if (distanceField !== undefined && typeof distanceField !== 'string') fail(14, '$geoNear requires that the distanceField option is a String')
  const collection = findCollection(context, name)
  if (!collection) return
  const query = { filter: optionalDoc(spec, 'query') ?? {}, vars: variables(context) }
  const factor = isNumeric(distanceMultiplier) ? asNumber(distanceMultiplier) : 1
  for (const found of nearestFirst(runQuery(viewFor(context), collection, query), nearIn(collection, spec))) {
    if (found === tick) yield tick
    else yield withDistance(found, typeof distanceField === 'string' ? distanceField : undefined, factor, includeLocs)
  }
}

function withDistance({ found, distance, place }: Nearest, field: string | undefined, factor: number, includeLocs: unknown): Doc {
  let doc = docOf(found)
  if (field !== undefined) doc = withValueAt(doc, field, new Double(distance * factor))
  return typeof includeLocs === 'string' ? withValueAt(doc, includeLocs, place) : doc
}

/** The stage's options in the form of the query operators. */
function nearIn(collection: Collection, spec: Doc): Near {
  const { near, spherical, minDistance, maxDistance } = spec
  const path = keyOf(collection, spec.key)
  const isGeometry = isDoc(near) && near.type !== undefined
  const operator = isGeometry || isTruthy(spherical) ? '$nearSphere' : '$near'
  const condition: Doc = { [operator]: isGeometry ? { $geometry: near } : near }
  if (minDistance !== undefined) condition.$minDistance = minDistance
  if (maxDistance !== undefined) condition.$maxDistance = maxDistance
  return nearOf(collection, path, condition)
}

function keyOf(collection: Collection, key: unknown): string {
  if (typeof key === 'string') return key
  const paths = collection.indexes.flatMap(({ spec }) => Object.keys(asDoc(spec.key) ?? {})).filter(path => geoKinds(collection, path).length > 0)
  const [path, ...others] = new Set(paths)
  if (path === undefined) return fail(27, '$geoNear requires a 2d or 2dsphere index, but none were found')
  return others.length === 0 ? path : fail(2, "There is more than one 2dsphere index; $geoNear needs its 'key' option to choose")
}
