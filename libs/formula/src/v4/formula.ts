import { type Incremental, incrementalWith } from '../v2/formula.ts'
import { tuning } from './tuning.ts'

/** Formula 4. */
export const formula4: Incremental = incrementalWith(tuning)
