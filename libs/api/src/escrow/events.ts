import { z } from 'zod'
import { namesOf } from '../core/audience.ts'
import { event } from '../core/event.ts'
import { chain, id, micro, timestamp, walletOut } from '../core/fields.ts'
import { snapshotEvent } from '../core/snapshot.ts'
import { bondRow, escrowRow } from './internal.ts'
import { decisionReason, fundingKind, gigDecision, receiptVerdict } from './records.ts'

/** What every event about an escrow carries. */
const escrowFacts = {
  escrowId: id,
  gigId: id,
  gigTitle: z.string(),
  posterId: id,
  assigneeId: id.nullable(),
  amount: micro,
  chain,
}
const decider = z.enum(['swarm', 'oracle', 'admin', 'party', 'time'])

/** The only thing by which a gig is completed, cancelled or disputed after a verdict. `amount` is 0 for `unfunded`. */
export const escrowDecided = event(
  'escrow.escrow.decided',
  'gigId',
  'What happens to the money of a gig is decided',
  {
    ...escrowFacts,
    ...gigDecision,
    by: decider,
    validationId: id.nullable(),
    /** A dispute was open, or is opened by this decision. */
    disputed: z.boolean().default(false),
    nextDeadlineAt: timestamp.nullable(),
    decidedAt: timestamp,
  },
  { everyone: [...namesOf(escrowFacts), 'outcome', 'reason', 'by', 'verdict', 'validationId', 'disputed', 'nextDeadlineAt', 'decidedAt'] },
)

const source = { fundedFrom: z.object({ kind: fundingKind, address: walletOut }) }

export const escrowLocked = event(
  'escrow.escrow.locked',
  'gigId',
  'The budget is locked in the contract',
  {
    ...escrowFacts,
    ...source,
    txHash: z.string(),
    blockNumber: z.int(),
    lockedAt: timestamp,
  },
  { everyone: [...namesOf(escrowFacts), 'txHash', 'blockNumber', 'lockedAt'], parties: ['posterId', 'assigneeId'] },
)

export const escrowReleased = event(
  'escrow.escrow.released',
  'gigId',
  'The assignee is paid; amount = fee + net, net = treasury + external',
  {
    ...escrowFacts,
    ...source,
    assigneeId: id,
    crewId: id.nullable(),
    skillsRequired: z.array(z.string()),
    feeBp: z.int(),
    fee: micro,
    net: micro,
    split: z.object({ treasury: micro, external: micro, treasuryAddress: walletOut.nullable(), externalAddress: walletOut }),
    txHash: z.string(),
    blockNumber: z.int(),
    by: decider,
    verdict: receiptVerdict,
    validationId: id.nullable(),
    weak: z.boolean(),
    /** Counts for the score: not by time, not by a weak panel. */
    creditable: z.boolean(),
    /** The poster lost a dispute. */
    afterDispute: z.boolean(),
    /** FusedScores as of the settlement. */
    posterScore: z.number(),
    assigneeScore: z.number(),
    settledAt: timestamp,
  },
  {
    everyone: [
      ...namesOf(escrowFacts),
      'crewId',
      'skillsRequired',
      'feeBp',
      'fee',
      'net',
      'txHash',
      'blockNumber',
      'by',
      'verdict',
      'validationId',
      'afterDispute',
      'settledAt',
    ],
    parties: ['posterId', 'assigneeId'],
  },
)

export const escrowRefunded = event(
  'escrow.escrow.refunded',
  'gigId',
  'The payer has its money back',
  {
    ...escrowFacts,
    ...source,
    txHash: z.string(),
    blockNumber: z.int(),
    reason: decisionReason,
    by: decider,
    /** The assignee failed: a final rejection, a missed deadline or a lost dispute of a funded gig. */
    failure: z.enum(['rejected', 'deadline_missed', 'dispute_lost']).nullable(),
    /** The contract refunded while a release was under way: a debt to the payee is booked. */
    payoutLost: z.boolean(),
    /** It had been reported as disputed: that is over. */
    disputed: z.boolean(),
    refundedAt: timestamp,
  },
  {
    everyone: [...namesOf(escrowFacts), 'txHash', 'blockNumber', 'reason', 'by', 'failure', 'payoutLost', 'disputed', 'refundedAt'],
    parties: ['posterId', 'assigneeId'],
  },
)

export const escrowDisputed = event(
  'escrow.escrow.disputed',
  'gigId',
  'The escrow waits for a decision',
  {
    ...escrowFacts,
    reason: z.string(),
    by: decider,
    /** The party that raised it; null when nobody did. */
    disputedBy: id.nullable(),
    deadlineAt: timestamp,
    disputedAt: timestamp,
  },
  { everyone: [...namesOf(escrowFacts), 'by', 'disputedBy', 'deadlineAt', 'disputedAt'], parties: ['posterId', 'assigneeId'] },
)

export const escrowFailed = event(
  'escrow.escrow.failed',
  'gigId',
  'A lock failed for good: nothing was moved, or what was moved is reversed',
  {
    ...escrowFacts,
    code: z.string(),
    error: z.string(),
    /** It had been reported as locked: a reorganisation of the chain has reversed it. */
    wasLocked: z.boolean(),
    /** As in `refunded`. */
    disputed: z.boolean(),
  },
  { everyone: [...namesOf(escrowFacts), 'wasLocked', 'disputed'], parties: ['posterId', 'assigneeId'] },
)

export const escrowRestated = event(
  'escrow.escrow.restated',
  'gigId',
  'A payout or refund is reversed by a reorganisation, or made again',
  {
    ...escrowFacts,
    /** locked or disputed: it will be tried again; `none`: its lock is reversed too, for good. */
    status: z.enum(['locked', 'disputed', 'released', 'refunded', 'none']),
    /** The assignee had been reported as paid, and will not be: see `paymentCorrection`. */
    unpaid: z.boolean(),
    /** Of the current settlement; null while there is none. */
    txHash: z.string().nullable(),
    blockNumber: z.int().nullable(),
    settledAt: timestamp.nullable(),
  },
  { everyone: [...namesOf(escrowFacts), 'status', 'unpaid', 'txHash', 'blockNumber', 'settledAt'] },
)

export const receiptIssued = event(
  'escrow.receipt.issued',
  'receiptId',
  'A trust receipt exists',
  {
    receiptId: id,
    gigId: id,
    gigTitle: z.string(),
    posterId: id,
    assigneeId: id,
  },
  { everyone: ['receiptId', 'gigId', 'gigTitle', 'posterId', 'assigneeId'] },
)

export const rewardFunded = event(
  'escrow.reward.funded',
  'validationId',
  'Rewards of a validation can be claimed',
  {
    validationId: id,
    gigId: id.nullable(),
    jobId: id.nullable(),
    title: z.string(),
    chain,
    source: z.enum(['fee', 'refund', 'top_up']),
    /** `amount` is what this funding adds, `funded` the sum so far. */
    rewards: z.array(z.object({ validatorId: id, amount: micro, funded: micro })),
  },
  { parties: ['rewards'] },
)
const claimFacts = { claimId: id, round: z.int(), validatorId: id, chain, amount: micro, validationIds: z.array(id) }
export const rewardPaid = event(
  'escrow.reward.paid',
  'claimId',
  'A claim was paid',
  {
    ...claimFacts,
    /** What it was paid for: less than requested when the contract had paid an earlier round of it. Absent: all that was requested. */
    rewards: z.array(z.object({ validationId: id, amount: micro })).optional(),
    txHash: z.string(),
    paidAt: timestamp,
  },
  { parties: ['validatorId'] },
)
export const rewardFailed = event(
  'escrow.reward.failed',
  'claimId',
  'The payment of a claim failed for good',
  {
    ...claimFacts,
    code: z.string(),
  },
  { parties: ['validatorId'] },
)

export const escrowSnapshot = snapshotEvent('escrow', ['escrow', 'bond'], z.union([escrowRow, bondRow]))
