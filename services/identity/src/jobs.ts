import { dueBy, type Job } from '@carapace/service'
import { sweepMigrations } from './migration/inherit.ts'
import type { Parts } from './parts.ts'

const everyMs = 10_000
const batch = 100

/** Transitions by time alone. */
export const jobs = (parts: Parts): Job[] => [
  { name: 'expiry and completion of migrations', everyMs, due: dueBy(parts.migrations, 'dueAt'), run: now => sweepMigrations(parts, now, batch) },
]
