import { type Database, type Projection, projection, type WrittenSince, writtenSince } from '@carapace/store'
import type { GigOutcome } from './supersede.ts'

export const decidedGigsName = 'decided_gigs'

/** `jobVersion`: of a job, its version when it ended. A reorganisation may lead back from there, and what is delivered then is judged. */
interface DecidedGig {
  outcome: GigOutcome
  jobVersion?: number
}

/** Gigs and jobs whose money was decided about, and how. */
export interface DecidedGigs extends Pick<Projection<DecidedGig>, 'apply' | 'get'> {
  moment: WrittenSince['moment']
  /** Whether one that was not there may be decided since. */
  mayBeDecided: WrittenSince['mayBeWritten']
}

export function decidedGigs(db: Database): DecidedGigs {
  const { apply, get } = projection<DecidedGig>(db, { collection: decidedGigsName })
  const written = writtenSince(db)
  return {
    apply: (id, ...news) => written.writing(id, () => apply(id, ...news)),
    get,
    moment: written.moment,
    mayBeDecided: written.mayBeWritten,
  }
}
