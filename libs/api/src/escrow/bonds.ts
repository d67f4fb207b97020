import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { id, listOf, nextDeadline, onChain, pageQuery, text, timestamp, usdIn, usdOut, usdQuery, uuid, walletIn } from '../core/fields.ts'
import { limits } from '../core/limits.ts'
import { authorizationIn, bondStatus, bondTier, scoreComponents } from '../core/terms.ts'
import { bond, bondEvent, slash } from './records.ts'

const bondWithState = bond.extend({ bonded: z.boolean() })
const bondAmount = usdIn({ max: limits.escrow.perGigMicro })
const bondChange = z.looseObject({ bond, event: bondEvent, txHash: z.string().nullable() })

export const getBondStatus = endpoint({
  method: 'get',
  path: '/api/bond/:agentId/status',
  summary: 'The bond of an agent',
  caller: 'public',
  response: bondWithState,
})

export const getBondStatusByWallet = endpoint({
  method: 'get',
  path: '/api/bonds/status/:wallet',
  summary: 'The bond of the agent with this wallet',
  caller: 'public',
  params: { wallet: walletIn },
  response: bondWithState,
})

export const depositBond = endpoint({
  method: 'post',
  path: '/api/bond/:agentId/deposit',
  aliases: ['/api/agents/:agentId/bond/deposit'],
  summary: 'Stake USDC, at least 10',
  caller: 'wallet',
  self: 'agentId',
  body: z.object({ amount: bondAmount, walletAddress: walletIn.optional(), authorization: authorizationIn.optional() }),
  response: bondChange,
  also: [202],
  errors: ['BELOW_MINIMUM', 'WALLET_MISMATCH', 'FUNDS_REQUIRED', 'ACCOUNT_SUSPENDED', 'INVALID_STATE'],
})

export const withdrawBond = endpoint({
  method: 'post',
  path: '/api/bond/:agentId/withdraw',
  summary: 'Withdraw free stake, to the registered wallet or the set bond wallet',
  caller: 'wallet',
  evenMigrated: true,
  self: 'agentId',
  body: z.object({ amount: bondAmount, walletAddress: walletIn.optional() }),
  response: bondChange,
  also: [202],
  errors: ['INVALID_STATE', 'WALLET_MISMATCH'],
})

export const lockBond = endpoint({
  method: 'post',
  path: '/api/bond/:agentId/lock',
  summary: 'Lock the bond that a gig requires',
  caller: 'oracle',
  body: z.object({ gigId: uuid }),
  response: z.looseObject({ bond, lock: z.looseObject({ gigId: id, amount: usdOut, at: timestamp }) }),
  also: [202],
  errors: ['INVALID_STATE', 'INSUFFICIENT_BOND'],
})

export const unlockBond = endpoint({
  method: 'post',
  path: '/api/bond/:agentId/unlock',
  summary: 'Unlock the bond of a finished gig',
  caller: 'oracle',
  body: z.object({ gigId: uuid }),
  response: z.looseObject({ bond }),
  also: [202],
  errors: ['INVALID_STATE'],
})

export const setBondWallet = endpoint({
  method: 'post',
  path: '/api/bond/:agentId/wallet',
  summary: 'Set the wallet for withdrawals; counts after 24 hours',
  caller: 'wallet',
  self: 'agentId',
  body: z.object({ walletAddress: walletIn }),
  response: z.looseObject({ walletAddress: z.string(), effectiveAt: timestamp }),
})

export const syncBondPerformance = endpoint({
  method: 'post',
  path: '/api/bond/:agentId/sync-performance',
  summary: 'Replace the performance figures by those of the score',
  caller: 'oracle',
  response: z.looseObject({
    agentId: id,
    performanceScore: z.number(),
    fusedScore: z.number(),
    bondReliability: z.number(),
    totalGigsCompleted: z.int(),
    syncedAt: timestamp,
  }),
})

export const getBondPerformance = endpoint({
  method: 'get',
  path: '/api/bond/:agentId/performance',
  summary: 'Performance history',
  caller: 'public',
  response: z.looseObject({
    agentId: id,
    performanceScore: z.number(),
    components: scoreComponents,
    history: z.array(z.looseObject({ performanceScore: z.number(), at: timestamp })),
  }),
})

export const listBondHistory = endpoint({
  method: 'get',
  path: '/api/agents/:id/bond/history',
  summary: 'Everything that happened to a bond',
  caller: 'public',
  query: pageQuery,
  response: listOf('events', bondEvent),
})

/** Where the 202 of a deposit, withdrawal, lock, unlock, slash or reversal points. */
export const getBondEvent = endpoint({
  method: 'get',
  path: '/api/bond/:agentId/events/:id',
  summary: 'What became of a command on a bond: pending, confirmed, or failed with the reason',
  caller: 'walletOrOracle',
  self: 'agentId',
  response: z.looseObject({ event: bondEvent, txHash: z.string().nullable(), onChain, nextDeadline }),
})

export const slashBond = endpoint({
  method: 'post',
  path: '/api/bond/:agentId/slash',
  summary: 'Slash a bond, locked parts first',
  caller: 'oracle',
  body: z.object({ amount: bondAmount, reason: text(limits.text.reason) }),
  response: z.looseObject({ slash, bond }),
  also: [202],
  errors: ['INVALID_STATE'],
})

export const reverseSlash = endpoint({
  method: 'post',
  path: '/api/admin/slashes/:id/reverse',
  summary: 'Pay a slash back from the surplus of the pool',
  caller: 'admin',
  body: z.object({ reason: text(limits.text.reason) }),
  response: z.looseObject({ slash, bond }),
  also: [202],
  errors: ['INVALID_STATE'],
})

export const checkBondEligibility = endpoint({
  method: 'get',
  path: '/api/bond/:agentId/eligibility',
  summary: 'Whether the free bond covers what a gig requires',
  caller: 'public',
  query: { gigId: uuid.optional(), required: usdQuery.optional() },
  response: z.looseObject({
    agentId: id,
    eligible: z.boolean(),
    required: usdOut,
    availableBond: usdOut,
    bondTier,
    bondStatus,
    reason: z.string().nullable(),
  }),
})

export const getBondStatistics = endpoint({
  method: 'get',
  path: '/api/bond/network/stats',
  summary: 'Figures of all bonds',
  caller: 'public',
  response: z
    .looseObject({
      totalBonded: usdOut,
      avgBond: usdOut,
      bondedAgents: z.int(),
      slashedTotal: usdOut,
      healthyBonds: z.int(),
      highBondAgents: z.int(),
    })
    .meta({ id: 'BondStatistics' }),
})

export const listBonds = endpoint({
  method: 'get',
  path: '/api/bonds',
  summary: 'All bonds',
  caller: 'public',
  query: pageQuery,
  response: listOf(
    'bonds',
    z.looseObject({
      agentId: id,
      handle: z.string().nullable(),
      walletAddress: z.string().nullable(),
      bondTier,
      totalBonded: usdOut,
      availableBond: usdOut,
      lockedBond: usdOut,
    }),
  ).extend({ count: z.int() }),
})
