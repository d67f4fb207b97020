import { eachDue, examination, type Job } from '@carapace/service'
import { transact } from '@carapace/store'
import { checks } from './invariants.ts'
import type { Parts } from './parts.ts'
import { commandDeadline } from './pay.ts'
import { execute } from './payment.ts'

const batch = 100

/** What time alone does. */
export const jobs = (parts: Parts): Job[] => [
  {
    name: 'payments whose waiting time is over',
    everyMs: 2_000,
    run: async now => {
      await eachDue(parts.log, await parts.payments.due(now, batch), ({ id }) => takeUp(parts, id, now))
    },
  },
  examination(parts, checks, new Set(['stuck'])),
]

/** Guarded by the status: a cancellation that was first leaves nothing to do. */
async function takeUp(parts: Parts, paymentId: string, now: Date): Promise<void> {
  await transact(parts, async session => {
    const payment = await parts.payments.change(paymentId, present => execute(present, now, commandDeadline()), { session })
    if (payment.status === 'processing') await parts.history.change(paymentId, { status: 'processing' }, session)
  })
}
