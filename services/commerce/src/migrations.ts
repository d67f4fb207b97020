import type { Migration } from '@carapace/store'
import { moveUnbookedFees } from './job/move-unbooked-fees.ts'
import type { Parts } from './parts.ts'

export const migrations: readonly Migration<Parts>[] = [{ name: 'fees that no service books', run: moveUnbookedFees }]
