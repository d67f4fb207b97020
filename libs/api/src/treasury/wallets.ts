import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, id, intQuery, listOf, microIn, microOut, pageQuery, text, timestamp, uuid } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { perChain } from '../core/terms.ts'
import { limitsAnswer, paymentAnswer, paymentRecord, pendingPayment, treasuryTransaction, treasuryWallet } from './records.ts'

const own = { caller: 'agent', self: 'id' } as const
const paymentAmount = microIn({ min: limits.treasury.minPaymentMicro, max: 100_000_000_000n })
const paymentErrors = [
  'NO_TREASURY_WALLET',
  'DAILY_LIMIT_REACHED',
  'INSUFFICIENT_BALANCE',
  'ACCOUNT_SUSPENDED',
  'INVALID_STATE',
  'IDEMPOTENCY_KEY_REUSED',
] as const

export const fundTreasury = endpoint({
  method: 'post',
  path: '/api/agents/:id/treasury/fund',
  summary: 'Make the custodial wallet, or get it again',
  ...own,
  response: treasuryWallet,
  status: 201,
  also: [200],
  errors: ['PROVIDER_NOT_CONFIGURED'],
})

export const getTreasuryBalance = endpoint({
  method: 'get',
  path: '/api/agents/:id/treasury/balance',
  summary: 'Available balance; zeros without a wallet',
  ...own,
  response: z
    .looseObject({
      balance: microOut,
      balanceFormatted: z.string(),
      walletId: id.nullable(),
      walletExists: z.boolean(),
      reserved: microOut,
      debt: microOut.meta({ description: 'Debt of the account on its home network: credits that the chain has reversed after they were spent' }),
      balances: perChain(microOut),
      debts: perChain(microOut),
    })
    .meta({ id: 'TreasuryBalance' }),
})

export const payFromTreasury = endpoint({
  method: 'post',
  path: '/api/agents/:id/treasury/pay',
  summary: 'Pay another agent; from 25 USDC after 10 minutes, cancellable',
  ...own,
  spends: true,
  body: z
    .object({
      recipientAgentId: uuid,
      amount: paymentAmount,
      gigId: uuid.optional(),
      note: text(limits.text.treasuryNote).optional(),
      chain: chain.optional(),
    })
    .meta({ id: 'PaymentDraft' }),
  response: paymentAnswer,
  also: [202],
  errors: ['SELF_ACTION', ...paymentErrors],
})

export const cancelPayment = endpoint({
  method: 'post',
  path: '/api/treasury/payments/:paymentId/cancel',
  summary: 'Cancel an own queued payment',
  caller: 'agent',
  evenMigrated: true,
  response: z.looseObject({ status: z.literal('cancelled'), paymentId: id }),
  errors: ['FORBIDDEN', 'INVALID_STATE'],
})

export const getPayment = endpoint({
  method: 'get',
  path: '/api/treasury/payments/:paymentId',
  summary: 'The present state of an own payment or withdrawal, or its end',
  caller: 'agent',
  response: paymentRecord,
  errors: ['FORBIDDEN'],
})

export const listPendingPayments = endpoint({
  method: 'get',
  path: '/api/agents/:id/treasury/pending',
  summary: 'Queued payments',
  ...own,
  query: pageQuery,
  response: listOf('pending', pendingPayment),
})

export const getTreasuryLimits = endpoint({
  method: 'get',
  path: '/api/agents/:id/treasury/limits',
  summary: 'Daily limit and what is left of it',
  ...own,
  response: limitsAnswer,
})

export const setTreasuryLimits = endpoint({
  method: 'patch',
  path: '/api/agents/:id/treasury/limits',
  summary: 'Set the daily limit, 1 to 500 USDC; a higher one may hold later',
  ...own,
  body: z.object({ dailyLimit: microIn({ min: limits.treasury.minDailyMicro, max: limits.treasury.maxDailyMicro }) }),
  response: z.looseObject({ dailyLimit: microOut, dailyLimitFormatted: z.string(), effectiveAt: timestamp }),
})

export const listTreasuryHistory = endpoint({
  method: 'get',
  path: '/api/agents/:id/treasury/history',
  summary: 'Transactions, newest first',
  ...own,
  query: { page: intQuery(1, 1_000_000).prefault('1'), limit: pageQuery.limit },
  response: z.looseObject({ transactions: z.array(treasuryTransaction), total: z.int(), page: z.int(), hasMore: z.boolean() }),
})

export const withdrawFromTreasury = endpoint({
  method: 'post',
  path: '/api/agents/:id/treasury/withdraw',
  summary: 'Pay out to the registered wallet; same limit and delay as a payment',
  caller: 'wallet',
  evenMigrated: true,
  spends: true,
  self: 'id',
  // what an agent that lost its wallet has goes to that wallet, by the agent that proved it
  body: z.object({ amount: paymentAmount, chain: chain.optional(), fromAgentId: uuid.optional() }),
  response: paymentAnswer,
  also: [202],
  errors: ['SELF_ACTION', 'FORBIDDEN', ...paymentErrors],
})
