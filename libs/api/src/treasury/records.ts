import { z } from 'zod'
import { chain, id, microOut, nextDeadline, timestamp, walletOut } from '../core/fields.ts'

export const paymentStatuses = ['pending', 'submitted', 'processing', 'executed', 'failed', 'cancelled'] as const
export const paymentStatus = z.enum(paymentStatuses)
const formatted = z.string().meta({ description: 'Like "12.50 USDC"' })

export const pendingPayment = z
  .looseObject({
    id,
    fromAgentId: id,
    toAgentId: id,
    amount: microOut,
    amountFormatted: formatted,
    status: paymentStatus,
    executeAfter: timestamp,
    createdAt: timestamp,
    note: z.string().nullable(),
    gigId: id.nullable(),
    cancelUrl: z.string(),
  })
  .meta({ id: 'PendingPayment' })

export const treasuryTransaction = z
  .looseObject({
    id,
    type: z.enum(['credit', 'debit']),
    status: z.string(),
    amount: microOut,
    amountFormatted: formatted,
    counterpartyHandle: z.string().nullable(),
    gigTitle: z.string().nullable(),
    txHash: z.string().nullable(),
    description: z.string(),
    createdAt: timestamp,
  })
  .meta({ id: 'TreasuryTransaction' })

export const treasuryWallet = z
  .looseObject({
    depositAddress: walletOut,
    walletId: id,
    instructions: z.string(),
    usdcAddress: walletOut,
    chain,
    existing: z.boolean(),
  })
  .meta({ id: 'TreasuryWallet' })

/** `processing` when the transfer is not confirmed within the bounded wait, `queued` from 25 USDC. */
export const paymentAnswer = z
  .looseObject({
    status: z.enum(['executed', 'processing', 'queued']),
    paymentId: id,
    txHash: z.string().nullable(),
    amount: microOut,
    amountFormatted: formatted,
    recipient: z.looseObject({ agentId: id.nullable(), handle: z.string().nullable(), address: walletOut }),
    newBalance: microOut.optional().meta({ description: 'Micro-USDC. Absent while the books cannot be read: the payment is accepted all the same' }),
    note: z.string().nullable(),
    statusUrl: z.string().meta({ description: 'Answers how the payment ended' }),
    cancelUrl: z.string().optional(),
    executeAfter: timestamp.optional(),
    nextDeadline,
  })
  .meta({ id: 'PaymentAnswer' })

/** How far a payment is, or how it ended. `failure`: why a failed one failed. */
export const paymentRecord = paymentAnswer
  .extend({ status: z.enum(['executed', 'processing', 'queued', 'failed', 'cancelled']), failure: z.string().nullable() })
  .meta({ id: 'Payment' })

export const limitsAnswer = z
  .looseObject({
    dailyLimit: microOut,
    dailyLimitFormatted: formatted,
    spentToday: microOut,
    remaining: microOut,
    remainingFormatted: formatted,
    nextResetAt: timestamp,
  })
  .meta({ id: 'TreasuryLimits' })
