import { type Collection, namespaceOf } from '../storage/catalog.ts'
import { fail } from '../values/errors.ts'
import { keyText } from '../values/key-text.ts'
import type { Doc } from '../values/values.ts'

export function failDuplicate(collection: Collection, index: string, pattern: unknown, value: Doc): never {
  return fail(11000, `E11000 duplicate key error collection: ${namespaceOf(collection)} index: ${index} dup key: ${keyText(value)}`, {
    keyPattern: pattern,
    keyValue: value,
  })
}
