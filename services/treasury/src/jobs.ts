import { eachDue, examination, type Job } from '@carapace/service'
import { depositSweep } from './deposit/sweep.ts'
import { checks } from './invariants.ts'
import type { Parts } from './parts.ts'
import { commandDeadline } from './pay.ts'
import { takeUp } from './settle.ts'

const batch = 100

/** What time alone does. */
export const jobs = (parts: Parts): Job[] => [
  {
    name: 'payments whose waiting time is over',
    everyMs: 2_000,
    run: async now => {
      await eachDue(parts.log, await parts.payments.due(now, batch), payment => takeUp(parts, payment, now, commandDeadline()))
    },
  },
  { name: 'deposits that the chain does not have', everyMs: 5_000, run: depositSweep(parts) },
  examination(parts, checks, new Set(['stuck'])),
]
