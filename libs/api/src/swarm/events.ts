import { z } from 'zod'
import { namesOf } from '../core/audience.ts'
import { event } from '../core/event.ts'
import { chain, id, micro, timestamp, walletOut } from '../core/fields.ts'
import { snapshotEvent } from '../core/snapshot.ts'
import { voteChoice } from './records.ts'

/** What every event about a validation carries: gigId or jobId is set, never both. */
const validationFacts = {
  validationId: id,
  gigId: id.nullable(),
  jobId: id.nullable(),
  title: z.string(),
  posterId: id,
  assigneeId: id,
  budget: micro,
  chain,
  /** 1, or 2 after an expiry. */
  round: z.int().min(1),
  /** Set when this is the panel of an appeal; it is the id of the first validation. */
  appealOf: id.nullable(),
}
const quorum = { candidateCount: z.int(), threshold: z.int(), weak: z.boolean(), oracleAssisted: z.boolean() }

export const validationOpened = event(
  'swarm.validation.opened',
  'validationId',
  'A panel is to judge a deliverable',
  {
    ...validationFacts,
    ...quorum,
    submissionId: id,
    parentValidationId: id.nullable(),
    panel: z.array(id),
    rewardPerValidator: micro,
    expiresAt: timestamp,
  },
  { everyone: [...namesOf(validationFacts), ...namesOf(quorum), 'submissionId', 'parentValidationId', 'panel', 'rewardPerValidator', 'expiresAt'] },
)

export const panelChanged = event(
  'swarm.validation.panel-changed',
  'validationId',
  'Other numbers were set, or idle validators were replaced',
  {
    ...validationFacts,
    ...quorum,
    panel: z.array(id),
    added: z.array(id),
    removed: z.array(id),
    rewardPerValidator: micro,
    expiresAt: timestamp,
  },
  { everyone: [...namesOf(validationFacts), ...namesOf(quorum), 'panel', 'added', 'removed', 'rewardPerValidator', 'expiresAt'] },
)

export const voteRecorded = event(
  'swarm.vote.cast',
  'validationId',
  'A validator voted',
  {
    validationId: id,
    gigId: id.nullable(),
    jobId: id.nullable(),
    voteId: id,
    voterId: id,
    vote: voteChoice,
    castAt: timestamp,
  },
  { everyone: ['validationId', 'gigId', 'jobId', 'voteId', 'voterId', 'vote', 'castAt'] },
)

const tally = {
  /** Everybody who was drawn and not replaced. */
  panel: z.array(id),
  votes: z.array(z.object({ voterId: id, vote: voteChoice })),
  approvals: z.int(),
  rejections: z.int(),
  approvalPct: z.number(),
}

export const validationResolved = event(
  'swarm.validation.resolved',
  'validationId',
  'The panel has a verdict',
  {
    ...validationFacts,
    ...quorum,
    ...tally,
    submissionId: id,
    verdict: z.enum(['approved', 'rejected']),
    frozen: z.boolean(),
    disputeReason: z.string().nullable(),
    /** Votes with the verdict. */
    winners: z.array(id),
    rewardPerValidator: micro,
    /** Earliest release; null = immediately. */
    settleAfter: timestamp.nullable(),
    /** End of the appeal window of a frozen rejection. */
    appealUntil: timestamp.nullable(),
    resolvedAt: timestamp,
  },
  {
    everyone: [
      ...namesOf(validationFacts),
      ...namesOf(quorum),
      ...namesOf(tally),
      'submissionId',
      'verdict',
      'frozen',
      'winners',
      'rewardPerValidator',
      'settleAfter',
      'appealUntil',
      'resolvedAt',
    ],
    parties: ['posterId', 'assigneeId'],
  },
)

export const validationExpired = event(
  'swarm.validation.expired',
  'validationId',
  'The window ended without a verdict',
  {
    ...validationFacts,
    ...quorum,
    ...tally,
    submissionId: id,
    /** No further round follows: the escrow decides. */
    final: z.boolean(),
    /** The poster had set a threshold above the budget's own, or the whole panel: no second panel follows, and the dispute's default follows the votes. */
    thresholdRaised: z.boolean().default(false),
    nextValidationId: id.nullable(),
    expiredAt: timestamp,
  },
  { everyone: [...namesOf(validationFacts), ...namesOf(quorum), ...namesOf(tally), 'submissionId', 'final', 'nextValidationId', 'expiredAt'] },
)

export const validationSuperseded = event(
  'swarm.validation.superseded',
  'validationId',
  'The gig was decided otherwise while the panel judged it',
  {
    ...validationFacts,
    ...quorum,
    ...tally,
    submissionId: id,
    /** What became of the gig's money; undelivered: the chain dropped the delivery that the panel judged, and the job has another one or has ended. */
    outcome: z.enum(['release', 'refund', 'unfunded', 'undelivered']),
    /** Votes equal to that: approve for a release, reject for a refund. */
    winners: z.array(id),
    rewardPerValidator: micro,
    supersededAt: timestamp,
  },
  {
    everyone: [
      ...namesOf(validationFacts),
      ...namesOf(quorum),
      ...namesOf(tally),
      'submissionId',
      'outcome',
      'winners',
      'rewardPerValidator',
      'supersededAt',
    ],
  },
)

export const slashFrozen = event(
  'swarm.slash.frozen',
  'validationId',
  'A rejection may be manipulated: no slash before an appeal could be made',
  {
    ...validationFacts,
    weak: z.boolean(),
    signals: z.array(z.enum(['crew_overlap', 'new_account_cluster', 'weak_panel'])),
    reason: z.string(),
    appealUntil: timestamp.nullable(),
  },
  { everyone: [...namesOf(validationFacts), 'weak', 'signals', 'appealUntil'], parties: ['posterId', 'assigneeId'] },
)

const appealFacts = { ...validationFacts, appealId: id }
/** `appealId` is the id of the new validation, `validationId` that of the rejected one. Without a panel the escrow becomes disputed. */
export const appealFiled = event(
  'swarm.appeal.filed',
  'appealId',
  'The assignee appealed',
  {
    ...appealFacts,
    oracleAssisted: z.boolean(),
    expiresAt: timestamp,
  },
  { everyone: [...namesOf(appealFacts), 'oracleAssisted', 'expiresAt'] },
)

export const appealClosed = event(
  'swarm.appeal.closed',
  'appealId',
  'The fresh panel has decided, or could not',
  {
    ...appealFacts,
    outcome: z.enum(['won', 'lost', 'expired']),
    /** The frozen slash is applied, otherwise it is dropped. */
    applySlash: z.boolean(),
    approvals: z.int(),
    rejections: z.int(),
    approvalPct: z.number(),
    weak: z.boolean(),
    closedAt: timestamp,
  },
  { everyone: [...namesOf(appealFacts), 'outcome', 'applySlash', 'approvals', 'rejections', 'approvalPct', 'weak', 'closedAt'] },
)

export const rewardAccrued = event(
  'swarm.reward.accrued',
  'validationId',
  'Winners of a funded validation have earned their rewards',
  {
    ...validationFacts,
    rewards: z.array(z.object({ validatorId: id, amount: micro })),
  },
  'internal',
)

export const rewardClaimRequested = event(
  'swarm.reward.claim-requested',
  'claimId',
  'Funded rewards of one network shall be paid',
  {
    claimId: id,
    /** From 1; a claim whose payment failed for good is requested again as its next round. */
    round: z.int(),
    validatorId: id,
    wallet: walletOut,
    chain,
    amount: micro,
    rewards: z.array(z.object({ validationId: id, amount: micro })),
    by: z.enum(['validator', 'time']),
  },
  'internal',
)

export const swarmSnapshot = snapshotEvent('swarm', ['validation'])
