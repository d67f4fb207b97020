import type { Job } from '@carapace/service'
import { sweepMigrations } from './migration/inherit.ts'
import type { Parts } from './parts.ts'

const everyMs = 10_000
const batch = 100

/** What time alone does. */
export const jobs = (parts: Parts): Job[] => [
  { name: 'migrations that run out or were left undone', everyMs, run: now => sweepMigrations(parts, now, batch) },
]
