import { type Collection, namespaceOf } from '../storage/catalog.ts'
import type { Index } from '../storage/index-spec.ts'
import { fail } from '../values/errors.ts'
import { keyText } from '../values/key-text.ts'
import { type Doc, emptyArray } from '../values/values.ts'

/** The values of an entry by the paths of its index, as error messages show them. */
export function keyValueOf({ fields }: Index, values: readonly unknown[]): Doc {
  return Object.fromEntries(fields.map(({ path }, i) => [path, values[i] === emptyArray ? null : (values[i] ?? null)]))
}

export function failDuplicate(collection: Collection, index: string, pattern: unknown, value: Doc): never {
  return fail(11000, `E11000 duplicate key error collection: ${namespaceOf(collection)} index: ${index} dup key: ${keyText(value)}`, {
    keyPattern: pattern,
    keyValue: value,
  })
}
