import { eachDue, examination, type Job } from '@carapace/service'
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
  examination(parts, checks, new Set(['stuck'])),
]
