import { type Incremental, incrementalWith } from '../v2/formula.ts'
import { tuning } from './tuning.ts'

/** Formula 6. */
export const formula6: Incremental = incrementalWith(tuning)
