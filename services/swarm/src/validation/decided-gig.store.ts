import { type Database, type Projection, projection } from '@carapace/store'
import type { GigOutcome } from './supersede.ts'

/** Gigs whose money was decided about for good, and how. */
export const decidedGigs = (db: Database): Projection<{ outcome: GigOutcome }> => projection(db, { collection: 'decided_gigs' })
