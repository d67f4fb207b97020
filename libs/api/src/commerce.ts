import { z } from 'zod'
import { consumes } from './commerce/consumes.ts'
import * as events from './commerce/events.ts'
import * as jobs from './commerce/jobs.ts'
import * as reads from './commerce/reads.ts'
import { jobStatus } from './commerce/records.ts'
import { ledgerEndpoints } from './core/doctor.ts'
import { endpoint } from './core/endpoint.ts'
import { chain, id, microText, timestamp } from './core/fields.ts'
import { getReservationUse } from './core/reservation-use.ts'
import { serviceApi } from './core/service-api.ts'
import { announceEndpoint } from './core/snapshot.ts'

/** What other services store of a job. */
export const jobRow = z
  .looseObject({
    jobId: id,
    onChainJobId: z.string().nullable(),
    title: z.string(),
    status: jobStatus,
    posterId: id.nullable(),
    assigneeId: id.nullable(),
    applicantIds: z.array(id),
    budget: microText,
    chain,
    requiredSkills: z.array(z.string()),
    submissionId: id.nullable(),
    /** The payment of a job that counts is decided, and not confirmed yet. */
    isBeingPaid: z.boolean().optional(),
    /** When the assignee was paid for a job that counts; null while it is not. */
    settledAt: timestamp.nullable(),
    /** How its budget left the contract; null while it has not. */
    ended: z.object({ at: timestamp, txHash: z.string().nullable() }).nullable().optional(),
    version: z.int(),
  })
  .meta({ id: 'JobRow' })
export type JobRow = z.output<typeof jobRow>

const getJobRow = endpoint({ method: 'get', path: '/internal/v1/jobs/:id', caller: 'internal', summary: 'One job', response: jobRow })
const announceJobs = announceEndpoint(['job'])

/** ERC-8183 jobs, applicants, quorum, commerce receipts. */
export const commerceApi = serviceApi('commerce', {
  endpoints: { ...jobs, ...reads },
  internal: { getJobRow, announceJobs, getReservationUse, ...ledgerEndpoints },
  events,
  consumes,
})
