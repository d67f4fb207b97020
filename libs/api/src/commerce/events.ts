import { z } from 'zod'
import { namesOf } from '../core/audience.ts'
import { event } from '../core/event.ts'
import { chain, id, micro, timestamp } from '../core/fields.ts'
import { snapshotEvent } from '../core/snapshot.ts'
import { fundingKind } from '../escrow/records.ts'
import { jobStatus } from './records.ts'

/** What every event about a job carries. */
const jobFacts = {
  jobId: id,
  onChainJobId: z.string().nullable(),
  title: z.string(),
  posterId: id,
  assigneeId: id.nullable(),
  budget: micro,
  chain,
  status: jobStatus,
  txHash: z.string().nullable(),
  at: timestamp,
}
const assigned = { ...jobFacts, assigneeId: id }

export const jobCreated = event(
  'commerce.job.created',
  'jobId',
  'A job was created',
  {
    ...jobFacts,
    requiredSkills: z.array(z.string()),
    submitDeadline: timestamp,
  },
  { everyone: [...namesOf(jobFacts), 'requiredSkills', 'submitDeadline'] },
)
export const jobFunded = event(
  'commerce.job.funded',
  'jobId',
  'The budget is locked in the contract',
  {
    ...jobFacts,
    fundedFrom: z.object({ kind: fundingKind, address: z.string() }),
  },
  { everyone: namesOf(jobFacts), parties: ['posterId'] },
)
export const jobApplied = event(
  'commerce.job.applied',
  'jobId',
  'An agent applied for a job',
  { ...jobFacts, applicantId: id },
  { everyone: [...namesOf(jobFacts), 'applicantId'] },
)
export const jobAssigned = event('commerce.job.assigned', 'jobId', 'A job has its assignee', assigned, { everyone: namesOf(jobFacts) })
export const jobSubmitted = event(
  'commerce.job.submitted',
  'jobId',
  'The assignee delivered: a validation opens',
  {
    ...assigned,
    submissionId: id,
    requiredSkills: z.array(z.string()),
    applicantIds: z.array(id),
    deliverableUrl: z.string(),
    deliverableHash: z.string(),
  },
  { everyone: [...namesOf(jobFacts), 'submissionId', 'requiredSkills', 'deliverableHash'], parties: ['posterId', 'assigneeId'] },
)

const decision = {
  by: z.enum(['swarm', 'oracle', 'time']),
  validationId: id.nullable(),
  weak: z.boolean(),
  /** Counts for the score: not by time, not by a weak panel. */
  creditable: z.boolean(),
}
export const jobSettled = event(
  'commerce.job.settled',
  'jobId',
  'The assignee is paid; budget = fee + net',
  {
    ...assigned,
    ...decision,
    requiredSkills: z.array(z.string()),
    fee: micro,
    net: micro,
    afterDispute: z.boolean(),
    /** FusedScores as of the settlement. */
    posterScore: z.number(),
    assigneeScore: z.number(),
  },
  { everyone: [...namesOf(jobFacts), ...namesOf(decision), 'requiredSkills', 'fee', 'net', 'afterDispute'] },
)
export const jobRejected = event(
  'commerce.job.rejected',
  'jobId',
  'The work was rejected; the payer has its money back',
  {
    ...assigned,
    ...decision,
    afterDispute: z.boolean(),
  },
  { everyone: [...namesOf(jobFacts), ...namesOf(decision), 'afterDispute'] },
)
export const jobCancelled = event(
  'commerce.job.cancelled',
  'jobId',
  'The job ended without a result',
  {
    ...jobFacts,
    reason: z.enum(['withdrawn', 'expired', 'deadline_missed']),
    refunded: z.boolean(),
  },
  { everyone: [...namesOf(jobFacts), 'reason', 'refunded'] },
)
export const jobDisputed = event(
  'commerce.job.disputed',
  'jobId',
  'The job waits for a decision',
  {
    ...assigned,
    reason: z.string(),
    /** The party that raised it; null when nobody did. */
    disputedBy: id.nullable(),
  },
  { everyone: [...namesOf(jobFacts), 'disputedBy'], parties: ['posterId', 'assigneeId'] },
)

/**
 * A reorganisation dropped the effect of a step and its transaction failed when it was sent again: the job is where it was before. A payment that was
 * reported and is made again is reported here, too, with status `settled`; one that is not made after all with the status in which the job ended.
 */
export const jobCorrected = event(
  'commerce.job.corrected',
  'jobId',
  'The chain reversed what a job had reached',
  {
    ...jobFacts,
    /** A payment that was reported is reversed; `paymentCorrection` says whether for good. */
    unpaid: z.boolean(),
    fee: micro,
    net: micro,
    /** The step whose effect is lost; null where a payment was only made again, or otherwise. Absent in early events. */
    lost: z.enum(['fund', 'assign', 'submit', 'dispute', 'settle']).nullable().optional(),
    /** Who was assigned before the assignment was lost. */
    formerAssigneeId: id.nullable().optional(),
    /** Of a payment: the panel by whose verdict it is made; null where there is none. Absent in early events. */
    validationId: id.nullable().optional(),
  },
  { everyone: [...namesOf(jobFacts), 'unpaid', 'fee', 'net', 'lost', 'formerAssigneeId', 'validationId'] },
)

export const commerceReceiptIssued = event(
  'commerce.receipt.issued',
  'jobId',
  'A receipt of a job exists',
  {
    jobId: id,
    title: z.string(),
    posterId: id,
    assigneeId: id,
  },
  { everyone: ['jobId', 'title', 'posterId', 'assigneeId'] },
)

export const commerceSnapshot = snapshotEvent('commerce', ['job'])
