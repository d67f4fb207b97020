import { decode } from '../bson/raw.ts'
import type { Doc } from '../values/values.ts'

export interface Found {
  key: Buffer
  raw: Buffer
  /** Decoded already if the filter needed it. */
  doc: Doc | undefined
}

/** The document as decoded by the filter, or now. */
export function docOf(found: Found): Doc {
  found.doc ??= decode(found.raw)
  return found.doc
}
