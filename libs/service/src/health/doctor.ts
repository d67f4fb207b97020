import { auditSums, hasSums } from '@carapace/store'
import type { Platform } from '../define.ts'
import { type Checks, examine, outcomeChecks } from './examination.ts'

/** The stored figures of whole collections are what their documents add up to. Reads all of those, so only the doctor requests it. */
const figures: Checks<Pick<Platform, 'db'>> = { sums: ({ db }) => auditSums(db) }

/** An invariant that could not be checked is not a passing one. */
const unmade = (error: unknown): string => `cannot be checked now: ${error instanceof Error ? error.message : String(error)}`

/**
 * The handler of `doctorReport`: the service's own checks, `outcomes`, and `sums` where a store of it has figures.
 * @example http: mergeHandlers(gigHandlers, parts => doctorHandlers(parts, checks))
 */
export const doctorHandlers = <Parts extends Pick<Platform, 'log' | 'db' | 'outcomes'>>(parts: Parts, checks: Checks<Parts> = {}) => ({
  doctorReport: async () => ({
    checks: await examine(parts, { ...checks, ...outcomeChecks, ...(hasSums(parts.db) ? figures : {}) }, 'whole', unmade),
  }),
})
