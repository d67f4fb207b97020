import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, id, microText, pageQuery, timestamp, uuid, walletOut } from '../core/fields.ts'
import { quoting } from '../core/quote.ts'
import { announceEndpoint } from '../core/snapshot.ts'
import { bondStatus, bondTier } from '../core/terms.ts'
import { escrow, escrowStatus, gigDecision, slash, trustReceipt } from './records.ts'

/** What other services store of an escrow. */
export const escrowRow = z
  .looseObject({
    escrowId: id,
    gigId: id,
    status: escrowStatus,
    posterId: id,
    assigneeId: id.nullable(),
    amount: microText,
    chain,
    /** The contract that it was opened on; where it is missing, the first one of its network. */
    contract: z.string().optional(),
    txHash: z.string().nullable(),
    releaseTxHash: z.string().nullable(),
    /** When the assignee was paid; null while it is not. */
    settledAt: timestamp.nullable(),
    version: z.int(),
  })
  .meta({ id: 'EscrowRow' })
export type EscrowRow = z.output<typeof escrowRow>

/** What other services store of a bond. */
export const bondRow = z
  .looseObject({
    agentId: id,
    chain,
    totalBonded: microText,
    availableBond: microText,
    lockedBond: microText,
    slashedBond: microText,
    bondTier,
    bondStatus,
    locks: z.array(z.looseObject({ gigId: id, amount: microText, at: timestamp, confirmed: z.boolean() })),
    version: z.int(),
  })
  .meta({ id: 'BondRow' })
export type BondRow = z.output<typeof bondRow>

export const getEscrowRow = endpoint({
  method: 'get',
  path: '/internal/v1/escrows/:gigId',
  caller: 'internal',
  summary: 'The escrow of a gig',
  response: escrowRow,
})

/** A gig that the escrow does not know, or has decided nothing about, is missing. The marketplace reads it where an `escrow.escrow.decided` may be lost. */
export const listGigDecisions = endpoint({
  method: 'post',
  path: '/internal/v1/escrow-decisions',
  caller: 'internal',
  summary: 'What was decided last about the money of gigs',
  body: z.object({ gigIds: z.array(uuid).max(100) }),
  response: z.looseObject({ decisions: z.array(z.looseObject({ gigId: id, ...gigDecision })) }),
})

/** For the page of a gig, as the public reads answer; what it does not have is missing. */
export const getGigMoney = endpoint({
  method: 'get',
  path: '/internal/v1/escrows/:gigId/with-receipt',
  caller: 'internal',
  summary: 'Escrow and receipt of a gig',
  response: z.looseObject({ escrow: escrow.optional(), receipt: trustReceipt.optional() }),
})

/** A bond as the page of an agent shows it. */
export const shownBond = bondRow.extend({ contract: walletOut.nullable(), contractUrl: z.string().nullable() }).meta({ id: 'ShownBond' })
export type ShownBond = z.output<typeof shownBond>

/** For the page of an agent; an unknown agent has no bond and no receipts. */
export const getAgentMoney = endpoint({
  method: 'get',
  path: '/internal/v1/bonds/:agentId/with-receipts',
  caller: 'internal',
  summary: 'The bond of an agent and its newest receipts',
  query: { receipts: pageQuery.limit },
  response: z.looseObject({ bond: shownBond.optional(), receipts: z.array(trustReceipt) }),
})

export const getBondRow = endpoint({
  method: 'get',
  path: '/internal/v1/bonds/:agentId',
  caller: 'internal',
  summary: 'The bond of an agent; zeros when it never had one',
  response: bondRow,
})

/** Idempotent by (agent, gig). Confirmed = on chain now; pending = `escrow.bond.locked` or `.lock-failed` follows. */
export const lockBondForGig = endpoint({
  method: 'post',
  path: '/internal/v1/bonds/:agentId/locks',
  caller: 'internal',
  summary: 'Lock the bond that a gig requires, before its assignment',
  body: z.object({ gigId: uuid, amount: microText }),
  response: z.looseObject({ status: z.enum(['pending', 'confirmed']), amount: microText, txHash: z.string().nullable() }),
  also: [202],
  errors: ['INSUFFICIENT_BOND', 'INVALID_STATE'],
})

export const unlockBondForGig = endpoint({
  method: 'post',
  path: '/internal/v1/bonds/:agentId/locks/:gigId/undo',
  caller: 'internal',
  summary: 'Release the lock of an acceptance that lost',
  response: z.looseObject({ status: z.enum(['none', 'pending', 'unlocked']) }),
  also: [202],
})

export const announceEscrowsAndBonds = announceEndpoint(['escrow', 'bond'])

export const getSlashRow = endpoint({
  method: 'get',
  path: '/internal/v1/slashes/:id',
  caller: 'internal',
  summary: 'One slash by id, also while its command is under way',
  response: slash,
})

const claimParts = z.array(z.object({ validationId: id, amount: microText }))

/** Idempotent by (claim, round). The claimant polls with it: `swarm.reward.claim-requested`, or its outcome, may be lost. */
export const payRewardClaim = endpoint({
  method: 'post',
  path: '/internal/v1/reward-claims',
  caller: 'internal',
  summary: 'Pay a round of a claim of rewards, unless it is known, and its state',
  body: z.object({ claimId: id, round: z.int().min(1), validatorId: id, wallet: walletOut, chain, amount: microText, rewards: claimParts }),
  response: z.looseObject({
    status: z.enum(['claiming', 'claimed', 'failed']),
    round: z.int(),
    /** Orders the answer among the events of the claim. */
    version: z.int(),
    txHash: z.string().nullable(),
    /** What is or was paid of it. */
    rewards: claimParts,
    /** Nothing follows: its payment is final, or it failed and no block can include it. False while the relayer is away. */
    isFinal: z.boolean(),
  }),
})

/** Idempotent by validation. The swarm polls with it: `swarm.reward.accrued`, or `escrow.reward.funded`, may be lost. */
export const fundRewards = endpoint({
  method: 'post',
  path: '/internal/v1/reward-fundings',
  caller: 'internal',
  summary: 'Note what a validation has earned, unless it is known, and what of it is funded',
  body: z.object({
    validationId: id,
    gigId: id.nullable(),
    jobId: id.nullable(),
    title: z.string(),
    posterId: id,
    chain,
    rewards: z.array(z.object({ validatorId: id, amount: microText })),
  }),
  response: z.looseObject({
    /** Its one funding has been made, even if it gave nothing, or its gig ended without money: only an operator adds to it. */
    isOver: z.boolean(),
    rewards: z.array(z.object({ validatorId: id, funded: microText })),
  }),
})

/** Idempotent. The swarm reports the end of a validation with it until it is answered: its events may be lost. */
export const noteVerdict = endpoint({
  method: 'post',
  path: '/internal/v1/verdicts',
  caller: 'internal',
  summary: 'Note how a validation of a gig has ended, unless it is known',
  body: z.object({ events: z.array(z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) })) }),
  response: z.looseObject({}),
})

export const quoteFunding = endpoint({
  ...quoting,
  path: '/internal/v1/escrows/quote',
  summary: 'What a payment by x402 must carry to lock the budget of a gig',
  errors: ['NOT_POSTER', 'FORBIDDEN', 'CAP_EXCEEDED', 'AMOUNT_MISMATCH'],
})
