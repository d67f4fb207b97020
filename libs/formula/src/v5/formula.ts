import { type Incremental, incrementalWith } from '../v2/formula.ts'
import { tuning } from './tuning.ts'

/** Formula 5. */
export const formula5: Incremental = incrementalWith(tuning)
