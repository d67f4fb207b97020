import { z } from 'zod'
import { chain, id, nextDeadline, onChain, timestamp, usdOut, walletOut } from '../core/fields.ts'
import { bondStatus, bondTier, currency } from '../core/terms.ts'

/** `funding` and `unfunded` are states of the record; the spec's status is `locked` from the confirmation on. */
export const escrowStatuses = ['funding', 'locked', 'disputed', 'releasing', 'released', 'refunding', 'refunded', 'unfunded'] as const
export const escrowStatus = z.enum(escrowStatuses)
export type EscrowStatus = z.output<typeof escrowStatus>

export const fundingKind = z.enum(['x402', 'allowance', 'authorization', 'treasury', 'onchain'])
/** Where the money came from; refunds go back to `address`. */
export const fundedFrom = z.looseObject({ kind: fundingKind, address: walletOut })
export const split = z.looseObject({ treasury: usdOut, external: usdOut })

export const escrow = z
  .looseObject({
    id,
    gigId: id,
    posterId: id,
    payeeId: id.nullable(),
    status: escrowStatus,
    amount: usdOut,
    currency,
    chain,
    depositAddress: walletOut.nullable().meta({ description: 'The escrow contract of the network' }),
    fundedFrom: fundedFrom.nullable(),
    feeBp: z.int().nullable(),
    fee: usdOut.nullable(),
    net: usdOut.nullable(),
    split: split.nullable(),
    disputeReason: z.string().nullable(),
    disputedBy: z.string().nullable(),
    resolvedBy: z.string().nullable(),
    nextDeadline,
    txHash: z.string().nullable().meta({ description: 'The lock' }),
    releaseTxHash: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
    version: z.int(),
    onChain,
  })
  .meta({ id: 'Escrow' })
export type Escrow = z.output<typeof escrow>

/** Totals of one agent on its preferred network: totalBonded = availableBond + lockedBond. */
export const bond = z
  .looseObject({
    agentId: id,
    walletAddress: walletOut.nullable(),
    chain,
    totalBonded: usdOut,
    availableBond: usdOut,
    lockedBond: usdOut,
    slashedBond: usdOut,
    bondTier,
    bondStatus,
    bondReliability: z.number(),
    lastSlashAt: timestamp.nullable(),
    locks: z.array(z.looseObject({ gigId: id, amount: usdOut, at: timestamp })),
    contract: walletOut.nullable().meta({ description: 'The Bond that has the stake, or that of the next deposit where there is none' }),
    contractUrl: z.string().nullable().meta({ description: 'Its page in the explorer of the network; null on a devnet' }),
    version: z.int(),
  })
  .meta({ id: 'Bond' })
export type Bond = z.output<typeof bond>

export const bondEventType = z.enum(['DEPOSIT', 'WITHDRAW', 'LOCK', 'UNLOCK', 'SLASH', 'SLASH_REVERSED'])
export const bondEvent = z
  .looseObject({
    id,
    agentId: id,
    eventType: bondEventType,
    amount: usdOut,
    gigId: id.nullable(),
    reason: z.string().nullable(),
    txHash: z.string().nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'BondEvent' })

export const slashStatus = z.enum(['FROZEN', 'APPLIED', 'DROPPED', 'REVERSED'])
export const slash = z
  .looseObject({
    id,
    agentId: id,
    gigId: id.nullable(),
    validationId: id.nullable(),
    amount: usdOut,
    reason: z.string(),
    status: slashStatus,
    scoreBefore: z.number().nullable(),
    scoreAfter: z.number().nullable(),
    txHash: z.string().nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'Slash' })
export type Slash = z.output<typeof slash>

const receiptParty = z.looseObject({ handle: z.string().nullable(), wallet: walletOut.nullable(), fusedScore: z.number() })
export const receiptVerdict = z.enum(['APPROVED', 'ORACLE', 'DEFAULT'])
/** Permanent proof of one settled gig; scores as of the settlement. */
export const trustReceipt = z
  .looseObject({
    id,
    gigId: id,
    gigTitle: z.string(),
    posterId: id,
    assigneeId: id,
    poster: receiptParty,
    assignee: receiptParty,
    budget: usdOut,
    platformFee: usdOut,
    netPaid: usdOut,
    currency,
    chain,
    settledAt: timestamp,
    txHash: z.string().nullable(),
    basescanUrl: z.string().nullable(),
    validationConsensus: z.number(),
    validatorCount: z.int(),
    deliverableUrl: z.string().nullable(),
    onChainVerifiable: z.boolean(),
    shareUrl: z.string(),
    verdict: receiptVerdict,
    contentHash: z.string(),
  })
  .meta({ id: 'TrustReceipt' })
export type TrustReceipt = z.output<typeof trustReceipt>

export const earning = z
  .looseObject({
    gigId: id.nullable(),
    jobId: id.nullable(),
    gigTitle: z.string(),
    amount: usdOut.meta({ description: 'Net' }),
    fee: usdOut,
    chain,
    txHash: z.string().nullable(),
    completedAt: timestamp,
  })
  .meta({ id: 'Earning' })

export const decisionReason = z.enum(['verdict', 'frozen', 'weak', 'no_consensus', 'dispute', 'cancelled', 'default'])

/** A decision about the money of a gig, as far as the gig follows it. */
export const gigDecision = {
  outcome: z.enum(['release', 'refund', 'hold', 'unfunded']),
  reason: decisionReason,
  /** Verdict that it follows; null where there is none. */
  verdict: z.enum(['approved', 'rejected', 'expired']).nullable(),
}
