import { baselines } from './baselines.ts'
import type { Formula } from './book.ts'
import { built } from './built.ts'
import { following } from './following.ts'

/** All that are compared, by name: those that scores were stored with, and those of the textbooks. */
export const formulas: Record<string, Formula> = { v1: built, ...following, ...baselines }
