import { type Database, type Projection, projection, type WrittenSince, writtenSince } from '@carapace/store'
import type { GigOutcome } from './supersede.ts'

export const decidedGigsName = 'decided_gigs'

/** Gigs whose money was decided about for good, and how. */
export interface DecidedGigs extends Pick<Projection<{ outcome: GigOutcome }>, 'apply' | 'get'> {
  moment: WrittenSince['moment']
  /** Whether one that was not there may be decided since. */
  mayBeDecided: WrittenSince['mayBeWritten']
}

export function decidedGigs(db: Database): DecidedGigs {
  const { apply, get } = projection<{ outcome: GigOutcome }>(db, { collection: decidedGigsName })
  const written = writtenSince(db)
  return {
    apply: (id, ...news) => written.writing(id, () => apply(id, ...news)),
    get,
    moment: written.moment,
    mayBeDecided: written.mayBeWritten,
  }
}
