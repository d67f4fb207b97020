import { Timestamp } from 'bson'
import { elements } from '../bson/raw.ts'
import { type Context, flag } from '../engine/context.ts'
import { type Doc, fieldNames, setOwn } from '../values/values.ts'

const timestampType = 0x11
const empty = Buffer.alloc(8)

/** Puts the time of now in the place of each empty timestamp on the top level of a new document, unless the command forbids it. */
export function fillTimestamps({ engine, body }: Context, raw: Buffer): Buffer {
  // The bytes are searched first, as nearly no document has them.
  if (raw.indexOf(empty) < 0 || flag(body, 'bypassEmptyTsReplacement')) return raw
  let { seconds, counter } = engine.log.time()
  let filled = raw
  for (const { type, name, value } of elements(raw)) {
    if (type !== timestampType || name === '_id' || !raw.subarray(value, value + empty.length).equals(empty)) continue
    if (filled === raw) filled = Buffer.from(raw)
    filled.writeUInt32LE(counter, value)
    filled.writeUInt32LE(seconds, value + 4)
    counter += 1
  }
  return filled
}

/** The same for a document that replaces another. */
export function withTimestamps({ engine, body }: Context, doc: Doc): Doc {
  const isEmpty = (value: unknown) => value instanceof Timestamp && value.isZero()
  if (!Object.entries(doc).some(([name, value]) => name !== '_id' && isEmpty(value)) || flag(body, 'bypassEmptyTsReplacement')) return doc
  let { seconds: t, counter: i } = engine.log.time()
  const filled: Doc = {}
  for (const name of fieldNames(doc)) setOwn(filled, name, name !== '_id' && isEmpty(doc[name]) ? new Timestamp({ t, i: i++ }) : doc[name])
  return filled
}
