import { type Extension, extensions } from '@carapace/api'
import { splitName } from './domain.ts'

/** Name and extension of a full name as it is typed; no extension where it has none of ours. */
export function parseFullName(typed: string): { name: string; tld: Extension | undefined } {
  const full = typed.trim().toLowerCase()
  const split = splitName(full)
  const tld = extensions.find(one => one === split?.extension)
  return split && tld ? { name: split.name, tld } : { name: full, tld: undefined }
}
