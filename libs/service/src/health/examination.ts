import type { DoctorCheck } from '@carapace/api'
import type { Job, Platform } from '../define.ts'
import { paced } from '../jobs/paced.ts'

/** How much a check reads: `whole` for the doctor. Else it is made each minute, at a price that what there was before does not raise. */
export type Extent = 'whole' | 'news'

/** Names what is wrong, one line a fault. */
type Check<Parts> = (parts: Parts, extent: Extent) => Promise<string[]>
export type Checks<Parts> = Readonly<Record<string, Check<Parts>>>

/** No record waits for what the chain has decided for a minute. */
export const outcomeChecks: Checks<Pick<Platform, 'outcomes'>> = { outcomes: ({ outcomes }) => outcomes.faults() }

const everyMs = 60_000
/** While nothing is written and nothing was wrong, the books are compared so seldom: only the chain could have changed. What waits for an operator depends on time alone. */
const restMs = 10 * 60_000
/** Faults of one check that are described. */
const shown = 20

/** What a check still finds when it reads again: one that falls between two writes reads what is wrong nowhere. */
const confirmed = async (read: () => Promise<string[]>): Promise<string[]> => ((await read()).length > 0 ? read() : [])

/** Runs all checks. One that cannot be made now (the chain is away) is left out, or is what `unmade` says of it. */
export async function examine<Parts extends Pick<Platform, 'log'>>(
  parts: Parts,
  checks: Checks<Parts>,
  extent: Extent,
  unmade?: (error: unknown) => string,
): Promise<DoctorCheck[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const faults = await confirmed(() => check(parts, extent)).catch((error: unknown) => {
        parts.log.warn({ err: error, check: name }, 'a check could not be made')
        return unmade && [unmade(error)]
      })
      return faults === undefined ? [] : [{ name, count: faults.length, detail: faults.slice(0, shown) }]
    }),
  )
  return results.flat()
}

/**
 * Runs the checks and `outcomes` again and again, each at a moment of its own: the last counts are metrics, and a breach is in the log.
 * @param operatorMatters checks that report work for an operator, not of a breach
 */
export function examination<Parts extends Platform>(parts: Parts, checks: Checks<Parts>, operatorMatters: ReadonlySet<string>): Job[] {
  const last = new Map<string, DoctorCheck>()
  const isForOperator = (name: string): boolean => operatorMatters.has(name) || name in outcomeChecks
  const counts = (forOperator: boolean) => () =>
    [...last.values()].filter(({ name }) => isForOperator(name) === forOperator).map(({ name, count }) => [name, count] as const)
  parts.metrics.observe('invariant.broken', counts(false))
  parts.metrics.observe('saga.stuck', counts(true))
  return Object.entries<Check<Parts>>({ ...checks, ...outcomeChecks }).map(([name, check]) => ({
    name: `money invariant: ${name}`,
    everyMs,
    run: paced(whenDue(parts, last, { name, check, isForOperator: isForOperator(name) })),
  }))
}

/** One check, where something was written since its last run, where that found something wrong, and now and then. */
function whenDue<Parts extends Platform>(
  parts: Parts,
  last: Map<string, DoctorCheck>,
  { name, check, isForOperator }: { name: string; check: Check<Parts>; isForOperator: boolean },
): () => Promise<void> {
  let isWritten = true
  let examinedAt = Number.NEGATIVE_INFINITY
  parts.db.changes.on('saved', () => {
    isWritten = true
  })
  return async () => {
    const isDue = isForOperator || isWritten || (last.get(name)?.count ?? 0) > 0 || performance.now() - examinedAt >= restMs
    if (!isDue) return
    isWritten = false
    examinedAt = performance.now()
    const [found] = await examine(parts, { [name]: check }, 'news')
    if (found) last.set(name, found)
    else last.delete(name)
    if (found && found.count > 0 && !isForOperator) parts.log.error({ broken: [found] }, 'money invariants are broken')
  }
}
