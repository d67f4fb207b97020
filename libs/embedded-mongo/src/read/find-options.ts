import { Binary } from 'bson'
import { flag, optionalDoc } from '../engine/context.ts'
import { hintedIndex, planQuery, sameKey } from '../index/plan.ts'
import type { Collection } from '../storage/catalog.ts'
import { type Index, idIndexSpec } from '../storage/index-spec.ts'
import { withoutPrefix } from '../storage/keyspace.ts'
import { valueAt } from '../values/doc-path.ts'
import { fail } from '../values/errors.ts'
import { compare } from '../values/order.ts'
import { type Doc, getOwn, isDoc, setOwn } from '../values/values.ts'
import { docOf, type Found } from './found.ts'
import type { Query } from './read.ts'

/** `min` and `max` of `find`: the range of the hinted index, the upper end not included. */
export function withinKeys(collection: Collection | undefined, body: Doc): ((doc: Doc) => boolean) | undefined {
  const [min, max] = [optionalDoc(body, 'min'), optionalDoc(body, 'max')]
  if (!min && !max) return undefined
  if (body.hint === undefined) return fail(51173, 'A hint must be provided when using min or max')
  if (!collection) return () => false
  const index = hintedIndex(collection, body.hint)
  if (index === 'natural') return fail(51174, 'min and max need a hint of an index')
  for (const bound of [min, max])
    if (bound && Object.keys(bound).join('\0') !== index.fields.map(({ path }) => path).join('\0'))
      fail(51174, `The index chosen is not compatible with min/max: ${index.name}`)
  if (index.multikey.some(Boolean)) fail(115, 'min and max on an index of array elements are not supported by this server')
  return doc => (!min || compareKeys(index, doc, min) >= 0) && (!max || compareKeys(index, doc, max) < 0)
}

function compareKeys(index: Index, doc: Doc, bound: Doc): number {
  for (const [i, { path }] of index.fields.entries()) {
    const order = compare(valueAt(doc, path) ?? null, getOwn(bound, path) ?? null)
    if (order !== 0) return order * (index.directions[i] ?? 1)
  }
  return 0
}

/** `returnKey` and `showRecordId` of `find`: what replaces the document or is added to its fields; undefined without them. */
export function shownKey(collection: Collection | undefined, query: Query, body: Doc): ((found: Found, doc: Doc) => Doc) | undefined {
  // The record of a document is found by its _id in comparable form, as in a clustered collection.
  const showsRecord = flag(body, 'showRecordId')
  if (flag(body, 'returnKey')) {
    const paths = collection ? keyPaths(collection, query) : []
    return found => keyOf(docOf(found), paths)
  }
  return showsRecord ? ({ key }, doc) => ({ ...doc, $recordId: new Binary(withoutPrefix(key)) }) : undefined
}

/** The fields of the index that answers the query; none when there is no such index. */
function keyPaths(collection: Collection, { filter, sort, hint }: Query): string[] {
  const plan = planQuery(collection, filter, sort, hint)
  if (plan.index && plan.stage !== 'COLLSCAN') return plan.index.fields.map(({ path }) => path)
  const isById = plan.stage !== 'COLLSCAN' || (sort?.[0]?.path === '_id' && plan.givesSort)
  return isById || hint === '_id_' || (isDoc(hint) && sameKey(hint, idIndexSpec.key as Doc)) ? ['_id'] : []
}

function keyOf(doc: Doc, paths: readonly string[]): Doc {
  const key: Doc = {}
  for (const path of paths) setOwn(key, path, valueAt(doc, path) ?? null)
  return key
}
