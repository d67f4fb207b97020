import type { FormulaVersion } from './terms.ts'
import { type Tuning, tuning as tuning2 } from './v2/tuning.ts'
import { tuning as tuning3 } from './v3/tuning.ts'
import { tuning as tuning4 } from './v4/tuning.ts'
import { tuning as tuning5 } from './v5/tuning.ts'
import { tuning as tuning6 } from './v6/tuning.ts'

/** Of the formulas that follow an agent in a state, by their version: they differ by these numbers alone. */
export const tunings: Readonly<Record<Exclude<FormulaVersion, '1'>, Tuning>> = {
  '2': tuning2,
  '3': tuning3,
  '4': tuning4,
  '5': tuning5,
  '6': tuning6,
}
