import { type Database, type Projection, projection } from '@carapace/store'
import type { GigOutcome } from './supersede.ts'

export const decidedGigsName = 'decided_gigs'

/** Gigs whose money was decided about for good, and how. */
export const decidedGigs = (db: Database): Projection<{ outcome: GigOutcome }> => projection(db, { collection: decidedGigsName })
