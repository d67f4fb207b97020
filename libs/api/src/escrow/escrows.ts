import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { id, text, txHash, usdIn, usdOut, uuid } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { authorizationIn, currency, perChain } from '../core/terms.ts'
import { escrow, escrowStatus, split } from './records.ts'

const gigAmount = usdIn()

const ofAnyLock = ['NOT_POSTER', 'AMOUNT_MISMATCH', 'CAP_EXCEEDED', 'ALREADY_EXISTS', 'INVALID_STATE', 'TVL_CAP_REACHED'] as const

export const createEscrow = endpoint({
  method: 'post',
  path: '/api/escrow/create',
  summary: 'Lock the budget of an own gig, from the first source that covers it',
  caller: 'wallet',
  body: z.object({ gigId: uuid, amount: gigAmount, authorization: authorizationIn.optional() }),
  response: z.looseObject({ escrow, txHash: z.string().nullable() }),
  status: 201,
  also: [202],
  errors: [...ofAnyLock, 'FUNDS_REQUIRED', 'ACCOUNT_SUSPENDED'],
})

/** Without headers but with both ids, and when no source covers it, the answer is the x402 challenge for the budget. */
export const fundEscrow = endpoint({
  method: 'post',
  path: '/api/agent-payments/fund-escrow',
  summary: 'Lock the budget of a gig, by x402 or from the sources of the poster',
  caller: 'optionalWallet',
  quote: 'quoteFunding',
  body: z.object({ gigId: uuid, agentId: uuid, amount: gigAmount.optional(), authorization: authorizationIn.optional() }),
  response: z.looseObject({ funded: z.boolean(), escrow, txHash: z.string().nullable(), depositAddress: z.string().nullable() }),
  also: [202],
  errors: [...ofAnyLock, 'FUNDS_REQUIRED', 'PAYMENT_REQUIRED', 'PAYMENT_INVALID', 'REPLAY_DETECTED', 'ACCOUNT_SUSPENDED'],
})

export const getTvlCapacity = endpoint({
  method: 'get',
  path: '/api/escrow/tvl-capacity',
  summary: 'What can still be locked in all',
  caller: 'public',
  response: z
    .looseObject({
      perGigCap: usdOut,
      tvlCap: usdOut,
      currentTvl: usdOut,
      remaining: usdOut,
      utilizationPct: z.number(),
      chains: perChain(z.looseObject({ locked: usdOut })),
      currency,
    })
    .meta({ id: 'TvlCapacity' }),
})

export const getEscrow = endpoint({
  method: 'get',
  path: '/api/escrow/:gigId',
  summary: 'The escrow of a gig',
  caller: 'public',
  response: escrow,
})

export const releaseEscrow = endpoint({
  method: 'post',
  path: '/api/escrow/release',
  summary: 'Pay the assignee: by the oracle, or by the poster once the verdict is approved',
  caller: 'walletOrOracle',
  body: z.object({ gigId: uuid }),
  response: z
    .looseObject({
      status: escrowStatus,
      escrowId: id,
      gigId: id,
      txHash: z.string().nullable(),
      fee: z.looseObject({ effectiveFee: z.number(), feeAmount: usdOut }),
      netPayout: usdOut,
      split,
    })
    .meta({ id: 'EscrowRelease' }),
  also: [202],
  errors: ['FORBIDDEN', 'NOT_POSTER', 'INVALID_STATE'],
})

export const disputeEscrow = endpoint({
  method: 'post',
  path: '/api/escrow/dispute',
  summary: 'Stop the settlement as a party; an admin or time decides',
  caller: 'wallet',
  evenMigrated: true,
  body: z.object({ gigId: uuid, reason: text(limits.text.reason) }),
  response: z.looseObject({ escrow }),
  errors: ['NOT_PARTY', 'INVALID_STATE'],
})

export const adminResolveEscrow = endpoint({
  method: 'post',
  path: '/api/escrow/admin-resolve',
  summary: 'Decide a dispute',
  caller: 'admin',
  body: z.object({ gigId: uuid, releaseToPayee: z.boolean(), reason: text(limits.text.reason) }),
  response: z.looseObject({ escrow, resolvedBy: z.string() }),
  also: [202],
  errors: ['INVALID_STATE'],
})

export const confirmEscrowOnchain = endpoint({
  method: 'post',
  path: '/api/escrow/confirm-onchain',
  summary: 'Point at the transaction by which the poster locked the budget itself',
  caller: 'walletOrOracle',
  body: z.object({ gigId: uuid, txHash }),
  response: z.looseObject({ escrow }),
  also: [202],
  errors: ['NOT_PARTY', 'AMOUNT_MISMATCH', 'CONFLICT', 'ALREADY_EXISTS', 'INVALID_STATE', 'TVL_CAP_REACHED', 'CHAIN_UNAVAILABLE'],
})

export const topUpRewards = endpoint({
  method: 'post',
  path: '/api/admin/rewards/:validationId/top-up',
  summary: 'Fund the unfunded rest of the rewards of a validation from the pool',
  caller: 'admin',
  body: z.object({ amount: usdIn({ max: limits.escrow.perGigMicro }), reason: text(limits.text.reason) }),
  response: z.looseObject({ validationId: id, amount: usdOut, funded: z.array(z.looseObject({ validatorId: id, amount: usdOut })) }),
  errors: ['INVALID_STATE'],
})
