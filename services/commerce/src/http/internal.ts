import { type commerceApi, commerceSnapshot } from '@carapace/api'
import { operationParts } from '@carapace/chain'
import { announceRows, clearingHandlers, doctorHandlers, type Handlers, sagaHandlers } from '@carapace/service'
import { explainClearing } from '../clearing.ts'
import { checks } from '../invariants.ts'
import { jobRow } from '../job/views.ts'
import type { Parts } from '../parts.ts'

export const internalHandlers = (parts: Parts) =>
  ({
    getJobRow: async ({ params }) => {
      const job = await parts.jobs.need(params.id)
      return jobRow(job, await parts.applications.applicantsOf(job.id))
    },

    // who has applied is read from the row itself
    announceJobs: ({ body }) => announceRows(parts, commerceSnapshot, body, parts.jobs, job => jobRow(job, [])),

    getReservationUse: async ({ body }) => {
      const job = await parts.jobs.get(operationParts(body.key)[1])
      return { isOpen: job?.funding?.round === body.round }
    },

    ...doctorHandlers(parts, checks),
    ...sagaHandlers(parts),
    ...clearingHandlers(parts, explainClearing),
  }) satisfies Handlers<typeof commerceApi>
