import { type Incremental, incrementalWith } from '../v2/formula.ts'
import { tuning } from './tuning.ts'

/** Formula 3. */
export const formula3: Incremental = incrementalWith(tuning)
