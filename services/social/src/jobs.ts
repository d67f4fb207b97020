import { dueBy, eachDue, type Job } from '@carapace/service'
import { carryOnHiring } from './message/hire.ts'
import type { Parts } from './parts.ts'
import { publishByTime } from './review/write.ts'

const everyMs = 5_000
const batch = 100

/** Transitions by time alone, and acceptances whose call has ended. */
export const jobs = (parts: Parts): Job[] => [
  {
    name: 'publication of reviews',
    everyMs,
    due: dueBy(parts.reviews, 'dueAt'),
    run: async now => eachDue(parts.log, await parts.reviews.due(now, batch), review => publishByTime(parts, review)),
  },
  {
    name: 'offers that are being accepted',
    everyMs,
    due: dueBy(parts.messages, 'dueAt'),
    run: async now => eachDue(parts.log, await parts.messages.due(now, batch), message => carryOnHiring(parts, message, now)),
  },
]
