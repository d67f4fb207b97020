import { decode, maxDocumentBytes } from '../bson/raw.ts'
import type { Version } from '../index/changes.ts'
import type { Collection } from '../storage/catalog.ts'
import { fail } from '../values/errors.ts'
import type { Doc } from '../values/values.ts'

/** Refuses a version that is too large, or that the collection's validator does not accept. */
export function checkVersion(collection: Collection, before: Version | undefined, after: Version, bypassValidation: boolean): void {
  if (after.raw.length > maxDocumentBytes)
    fail(10334, `object to insert too large. size in bytes: ${after.raw.length}, max size: ${maxDocumentBytes}`)
  if (!collection.accepts || bypassValidation || collection.options.validationAction === 'warn' || collection.options.validationLevel === 'off')
    return
  after.doc ??= decode(after.raw)
  if (collection.accepts(after.doc)) return
  // "moderate" lets a document that was invalid before stay so.
  if (before && collection.options.validationLevel === 'moderate' && !collection.accepts(decode(before.raw))) return
  const validator = collection.options.validator as Doc
  const operatorName = Object.keys(validator)[0]
  fail(121, 'Document failed validation', {
    errInfo: { failingDocumentId: after.doc._id, details: { operatorName, specifiedAs: validator, reason: 'expression did not match' } },
  })
}
