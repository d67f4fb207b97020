import { Double } from 'bson'
import { optionalDoc } from '../engine/context.ts'
import type { Collection } from '../storage/catalog.ts'
import { fail } from '../values/errors.ts'
import { type Doc, isDoc, setOwn } from '../values/values.ts'
import type { Found } from './found.ts'
import { compileText, splitText } from './text-search.ts'

/** What `$meta: 'textScore'` is of a document that the `find` has chosen. Throws 40218 when used without a text search. */
export function textScore(collection: Collection | undefined, body: Doc): (doc: Doc) => Double {
  const found = splitText(optionalDoc(body, 'filter') ?? {})
  const search = collection && found && compileText(collection, found.text)
  return doc => new Double(found ? (search?.score(doc) ?? 0) : fail(40218, 'query requires text score metadata, but it is not available'))
}

/** A projection without the fields that hold the score. */
export function withoutScores(projection: Doc): Doc {
  return Object.fromEntries(Object.entries(projection).filter(([, value]) => !isScore(value)))
}

/** Adds the score under the names that the projection gives it; undefined when it gives none. */
export function shownScore(collection: Collection | undefined, body: Doc): ((found: Found, doc: Doc, whole: Doc) => Doc) | undefined {
  const names = Object.entries(optionalDoc(body, 'projection') ?? {}).flatMap(([name, value]) => (isScore(value) ? name : []))
  if (names.length === 0) return undefined
  const score = textScore(collection, body)
  return (_found, doc, whole) => {
    const shown = { ...doc }
    for (const name of names) setOwn(shown, name, score(whole))
    return shown
  }
}

function isScore(value: unknown): boolean {
  return isDoc(value) && value.$meta === 'textScore'
}
