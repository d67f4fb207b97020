import { baselines } from './baselines.ts'
import type { Formula } from './book.ts'
import { built } from './built.ts'
import { candidate } from './candidate.ts'

/** All that are compared, by name: in force, next, and those of the textbooks. */
export const formulas: Record<string, Formula> = { v1: built, v2: candidate, ...baselines }
