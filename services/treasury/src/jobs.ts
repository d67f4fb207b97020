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
      // those whose account is in debt stay, so the next page is read although this one did not shrink
      let due = await parts.payments.due(now, batch)
      for (; due.length > 0; due = await parts.payments.due(now, batch, due.at(-1)))
        await eachDue(parts.log, due, payment => takeUp(parts, payment, now, commandDeadline()))
    },
  },
  { name: 'deposits that the chain does not have', everyMs: 5_000, run: depositSweep(parts) },
  examination(parts, checks, new Set(['stuck'])),
]
