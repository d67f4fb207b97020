import { z } from 'zod'
import { agentRef, chain, id, nextDeadline, onChain, timestamp, usdOut } from '../core/fields.ts'
import { currency } from '../core/terms.ts'

export const validationStatus = z.enum(['pending', 'approved', 'rejected', 'expired', 'superseded'])
export type ValidationStatus = z.output<typeof validationStatus>
export const voteChoice = z.enum(['approve', 'reject'])

const standing = {
  id,
  gigId: id.nullable(),
  status: validationStatus,
  voteCount: z.int(),
  approvalCount: z.int(),
  rejectionCount: z.int(),
  approvalPct: z.number(),
  consensusReached: z.boolean(),
  approved: z.boolean(),
  quorumRequired: z.int(),
  bondSlashFrozen: z.boolean(),
  disputeReason: z.string().nullable(),
  validators: z.array(z.looseObject({ id, handle: z.string().nullable(), voted: z.boolean(), replaced: z.boolean() })),
}

/** Validation of a gig's or job's deliverable; `quorumRequired` = `threshold`, `gigId` null for a job. */
export const validation = z
  .looseObject({
    ...standing,
    gigTitle: z.string(),
    jobId: id.nullable(),
    chain,
    threshold: z.int(),
    candidateCount: z.int(),
    round: z.int(),
    parentValidationId: id.nullable(),
    appealId: id.nullable(),
    /** Of the rejected validation and of the fresh panel's: for poster, assignee, that panel and the oracle; null for all others. */
    appeal: z.looseObject({ statement: z.string(), deliverableUrl: z.string(), filedAt: timestamp }).nullable(),
    weak: z.boolean(),
    oracleAssisted: z.boolean(),
    expiresAt: timestamp,
    resolvedAt: timestamp.nullable(),
    createdAt: timestamp,
    onChain,
    nextDeadline,
  })
  .meta({ id: 'Validation' })
export type Validation = z.output<typeof validation>

/** `reasoning` is null until the validation is resolved. */
export const vote = z
  .looseObject({ id, validatorId: id, vote: voteChoice, createdAt: timestamp, reasoning: z.string().nullable(), txHash: z.string().nullable() })
  .meta({ id: 'Vote' })

export const resolution = z.looseObject({
  status: validationStatus,
  approved: z.boolean(),
  bondSlashFrozen: z.boolean(),
  disputeReason: z.string().nullable(),
})

export const openedValidation = validation.extend({
  validationId: id,
  selectedValidators: z.array(agentRef),
  rewards: z.looseObject({ perValidator: usdOut, currency }),
})

export const rewardStates = ['accrued', 'funded', 'claiming', 'claimed'] as const
export const claimableReward = z
  .looseObject({
    validationId: id,
    gigId: id.nullable(),
    gigTitle: z.string(),
    chain,
    amount: usdOut,
    state: z.enum(rewardStates),
    accruedAt: timestamp,
    nextDeadline,
  })
  .meta({ id: 'ValidatorReward' })
