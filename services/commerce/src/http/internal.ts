import { type commerceApi, commerceSnapshot } from '@carapace/api'
import { announceRows, clearingHandlers, doctorHandlers, type HandlersOf } from '@carapace/service'
import { explainClearing } from '../clearing.ts'
import { checks } from '../invariants.ts'
import { jobRow } from '../job/views.ts'
import type { Parts } from '../parts.ts'

type Handlers = HandlersOf<typeof commerceApi>

export const internalHandlers = (
  parts: Parts,
): Pick<Handlers, 'getJobRow' | 'announceJobs' | 'doctorReport' | 'clearingBalances' | 'explainClearing'> => ({
  getJobRow: async ({ params }) => {
    const job = await parts.jobs.need(params.id)
    return jobRow(job, await parts.applications.applicantsOf(job.id))
  },

  // who has applied is read from the row itself
  announceJobs: ({ body }) => announceRows(parts, commerceSnapshot, body, parts.jobs, job => jobRow(job, [])),

  ...doctorHandlers(parts, checks),
  ...clearingHandlers(parts, explainClearing),
})
