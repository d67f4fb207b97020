import type { DoctorCheck } from '@carapace/api'
import { eachDue, type Job, paced } from '@carapace/service'
import { transact } from '@carapace/store'
import { examine } from './invariants.ts'
import type { Parts } from './parts.ts'
import { commandDeadline } from './pay.ts'
import { execute } from './payment.ts'

const batch = 100

/** What time alone does. */
export const jobs = (parts: Parts): Job[] => {
  let last: DoctorCheck[] = []
  const counts = (isStuck: boolean) => () =>
    last.filter(({ name }) => (name === 'stuck') === isStuck).map(({ name, count }) => [name, count] as const)
  parts.metrics.gauges('invariant_broken', 'Breaches of a money invariant', 'name', counts(false))
  parts.metrics.gauges('saga_stuck', 'Sagas that need an operator', 'name', counts(true))
  return [
    {
      name: 'payments whose waiting time is over',
      everyMs: 2_000,
      run: async now => {
        await eachDue(parts.log, await parts.payments.due(now, batch), ({ id }) => takeUp(parts, id, now))
      },
    },
    {
      name: 'money invariants',
      everyMs: 60_000,
      run: paced(async () => {
        last = await examine(parts)
        const broken = last.filter(({ name, count }) => count > 0 && name !== 'stuck')
        if (broken.length) parts.log.error({ broken }, 'money invariants are broken')
      }),
    },
  ]
}

/** Guarded by the status: a cancellation that was first leaves nothing to do. */
async function takeUp(parts: Parts, paymentId: string, now: Date): Promise<void> {
  await transact(parts, async session => {
    const payment = await parts.payments.change(paymentId, present => execute(present, now, commandDeadline()), { session })
    if (payment.status === 'processing') await parts.history.change(paymentId, { status: 'processing' }, session)
  })
}
