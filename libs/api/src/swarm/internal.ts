import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, id, microText, pageQuery, timestamp } from '../core/fields.ts'
import { announceEndpoint } from '../core/snapshot.ts'
import { validation, validationStatus, vote, voteChoice } from './records.ts'

/** What other services store of a validation. */
export const validationRow = z
  .looseObject({
    validationId: id,
    gigId: id.nullable(),
    jobId: id.nullable(),
    submissionId: id,
    title: z.string(),
    posterId: id,
    assigneeId: id,
    budget: microText,
    chain,
    round: z.int(),
    parentValidationId: id.nullable(),
    appealOf: id.nullable(),
    /** The second round of one that expired; null when it was the last. */
    nextValidationId: id.nullable(),
    status: validationStatus,
    candidateCount: z.int(),
    threshold: z.int(),
    weak: z.boolean(),
    oracleAssisted: z.boolean(),
    frozen: z.boolean(),
    disputeReason: z.string().nullable(),
    panel: z.array(id),
    votes: z.array(z.looseObject({ voterId: id, vote: voteChoice })),
    approvals: z.int(),
    rejections: z.int(),
    approvalPct: z.number(),
    expiresAt: timestamp,
    resolvedAt: timestamp.nullable(),
    settleAfter: timestamp.nullable(),
    appealUntil: timestamp.nullable(),
    /** The appeal against it and when that expires, once one is filed; also where no panel could be drawn for it. */
    appealId: id.optional(),
    appealExpiresAt: timestamp.optional(),
    version: z.int(),
  })
  .meta({ id: 'ValidationRow' })
export type ValidationRow = z.output<typeof validationRow>

const rows = z.looseObject({ validations: z.array(validationRow) })

export const getValidationRow = endpoint({
  method: 'get',
  path: '/internal/v1/validations/:id',
  caller: 'internal',
  summary: 'One validation',
  response: validationRow,
})

export const listGigValidations = endpoint({
  method: 'get',
  path: '/internal/v1/validations/by-gig/:gigId',
  caller: 'internal',
  summary: 'All validations of a gig, newest first; empty when there is none',
  response: rows,
})

/** For the page of a gig, as the public reads answer anybody. */
export const listGigJudgements = endpoint({
  method: 'get',
  path: '/internal/v1/validations/by-gig/:gigId/with-votes',
  caller: 'internal',
  summary: 'The newest validations of a gig, each with its votes; empty when there is none',
  query: { limit: pageQuery.limit },
  response: z.looseObject({ judgements: z.array(z.looseObject({ validation, votes: z.array(vote) })) }),
})

export const listJobValidations = endpoint({
  method: 'get',
  path: '/internal/v1/validations/by-job/:jobId',
  caller: 'internal',
  summary: 'All validations of a job, newest first; empty when there is none',
  response: rows,
})

/** Idempotent. The marketplace polls with it: `marketplace.gig.submitted`, or `swarm.validation.opened`, may be lost. */
export const openValidation = endpoint({
  method: 'post',
  path: '/internal/v1/validations/by-gig/:gigId',
  caller: 'internal',
  summary: 'The first validation of a delivered gig, which is opened unless it is',
  response: validationRow,
  errors: ['INVALID_STATE'],
})

export const announceValidations = announceEndpoint(['validation'])

/** Idempotent. The escrow reports an operator's top-up with it until it is answered: `escrow.reward.funded` may be lost. */
export const noteFunding = endpoint({
  method: 'post',
  path: '/internal/v1/validations/:id/funding',
  caller: 'internal',
  summary: 'Note what of the rewards of a validation is funded so far',
  body: z.object({ rewards: z.array(z.object({ validatorId: id, funded: microText })) }),
  response: z.looseObject({}),
})
