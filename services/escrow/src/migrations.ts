import type { Migration } from '@carapace/store'
import type { Parts } from './parts.ts'
import { addMadeSlashes } from './slash/backfill-slashes.ts'

export const migrations: readonly Migration<Parts>[] = [{ name: 'slashes with their bonds', run: addMadeSlashes }]
