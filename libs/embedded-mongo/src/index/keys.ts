import type { Index } from '../storage/index-spec.ts'
import { fail } from '../values/errors.ts'
import { encodeKey } from '../values/key.ts'
import { combinationsOf } from '../values/paths-through-arrays.ts'
import type { Doc } from '../values/values.ts'

export interface IndexKey {
  values: unknown[]
  key: Buffer
}

export interface IndexKeys {
  keys: IndexKey[]
  /** By field: whether an array was met on the way. */
  multikey: boolean[]
  isExact: boolean
}

const noKeys: IndexKeys = { keys: [], multikey: [], isExact: true }

/**
 * The keys under which an index holds a document: one per element where a field runs through an array.
 * Throws 171 when two fields run through different arrays.
 */
export function keysOf(index: Index, doc: Doc): IndexKeys {
  if (!index.hasEntries || (index.holds && !index.holds(doc))) return noKeys
  const multikey = index.fields.map(() => false)
  const rows = combinationsOf(doc, index.paths, multikey, () => fail(171, 'cannot index parallel arrays'))
  const keys: IndexKey[] = []
  let isExact = true
  const seen = rows.length > 1 ? new Set<string>() : undefined
  for (const row of rows) {
    if (index.isSparse && row.every(walk => walk.isMissing)) continue
    const values = row.map(walk => walk.value)
    const encoded = encodeKey(values, index.directions)
    isExact &&= encoded.exact
    if (seen) {
      const text = encoded.key.toString('latin1')
      if (seen.has(text)) continue
      seen.add(text)
    }
    keys.push({ values, key: encoded.key })
  }
  return { keys, multikey, isExact }
}
