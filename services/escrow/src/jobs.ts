import { type Job, paced } from '@carapace/service'
import { bondJobs } from './bond/jobs.ts'
import { escrowJobs } from './escrow/jobs.ts'
import { examine } from './invariants.ts'
import type { Parts } from './parts.ts'

const everyMs = 60_000
const operatorMatters = new Set(['stuck', 'debts'])

export const jobs = (parts: Parts): Job[] => {
  let last: Awaited<ReturnType<typeof examine>> = []
  const counts = (isWanted: (name: string) => boolean) => () =>
    last.filter(({ name }) => isWanted(name)).map(({ name, count }) => [name, count] as const)
  parts.metrics.gauges(
    'invariant_broken',
    'Breaches of a money invariant',
    'name',
    counts(name => !operatorMatters.has(name)),
  )
  parts.metrics.gauges(
    'saga_stuck',
    'Sagas that need an operator',
    'name',
    counts(name => operatorMatters.has(name)),
  )
  return [
    ...escrowJobs(parts),
    ...bondJobs(parts),
    {
      name: 'money invariants',
      everyMs,
      run: paced(async () => {
        last = await examine(parts)
        const broken = last.filter(({ name, count }) => count > 0 && !operatorMatters.has(name))
        if (broken.length) parts.log.error({ broken }, 'money invariants are broken')
      }),
    },
  ]
}
