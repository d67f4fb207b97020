import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { id, intQuery, listOf, pageQuery, timestamp, usdOut } from '../core/fields.ts'

const settlement = z
  .looseObject({
    id,
    agentId: id.nullable(),
    payer: z.string(),
    route: z.string(),
    amount: usdOut,
    chain: z.string(),
    txHash: z.string().nullable(),
    scheme: z.string(),
    state: z.string(),
    settledAt: timestamp.nullable(),
  })
  .meta({ id: 'X402Payment' })

export const listX402Payments = endpoint({
  method: 'get',
  path: '/api/x402/payments/:agentId',
  summary: 'x402 payments made for an agent',
  caller: 'public',
  query: pageQuery,
  response: listOf('payments', settlement),
})

export const getX402Statistics = endpoint({
  method: 'get',
  path: '/api/x402/stats',
  summary: 'Figures of all x402 payments',
  caller: 'public',
  response: z.looseObject({
    totalPayments: z.int(),
    totalAmount: usdOut,
    uniquePayers: z.int(),
    byRoute: z.array(z.looseObject({ route: z.string(), count: z.int(), amount: usdOut })),
  }),
})

const transferOut = z
  .looseObject({
    id,
    chain: z.string(),
    txHash: z.string(),
    payer: z.string(),
    payTo: z.string(),
    amount: usdOut,
    state: z.string(),
    seenAt: timestamp,
    dueAt: timestamp.nullable(),
  })
  .meta({ id: 'X402Transfer' })

export const listX402Transfers = endpoint({
  method: 'get',
  path: '/api/admin/x402-transfers',
  summary: 'Transfers from outside to the addresses of x402 that no payment claims, newest first',
  caller: 'admin',
  rate: 'admin',
  query: { state: z.enum(['waiting', 'claimed', 'returned', 'unclaimed', 'dropped']).prefault('unclaimed'), ...pageQuery },
  response: listOf('transfers', transferOut).extend({ totalAmount: usdOut }),
})

const x402Version = z.union([z.literal(1), z.literal(2)])
const facilitatorCall = z.object({
  x402Version,
  paymentPayload: z.record(z.string(), z.unknown()),
  paymentRequirements: z.record(z.string(), z.unknown()),
})

export const verifyX402 = endpoint({
  method: 'post',
  path: '/facilitator/verify',
  summary: 'Check an x402 payment to this platform',
  caller: 'public',
  repeatable: true,
  crossOrigin: true,
  errors: ['PROVIDER_NOT_CONFIGURED', 'CHAIN_UNAVAILABLE'],
  body: facilitatorCall,
  response: z.looseObject({ isValid: z.boolean(), invalidReason: z.string().optional(), payer: z.string().optional() }),
})

export const settleX402 = endpoint({
  method: 'post',
  path: '/facilitator/settle',
  summary: 'Settle an x402 payment to this platform',
  caller: 'public',
  crossOrigin: true,
  errors: ['PROVIDER_NOT_CONFIGURED', 'CHAIN_UNAVAILABLE'],
  body: facilitatorCall,
  response: z.looseObject({
    success: z.boolean(),
    transaction: z.string(),
    network: z.string(),
    payer: z.string().optional(),
    errorReason: z.string().optional(),
  }),
})

export const listX402Kinds = endpoint({
  method: 'get',
  path: '/facilitator/supported',
  summary: 'Schemes and networks of the facilitator',
  caller: 'public',
  response: z.looseObject({
    kinds: z.array(z.looseObject({ x402Version, scheme: z.string(), network: z.string() })),
    extensions: z.array(z.string()),
    signers: z.record(z.string(), z.array(z.string())),
  }),
})

export const listX402Resources = endpoint({
  method: 'get',
  path: '/facilitator/discovery/resources',
  summary: 'What can be bought',
  caller: 'public',
  query: { type: z.string().max(20).optional(), limit: intQuery(1, 100).prefault('20'), offset: pageQuery.offset },
  response: z.looseObject({
    x402Version,
    items: z.array(z.looseObject({ resource: z.string(), type: z.string(), x402Version, accepts: z.array(z.unknown()), lastUpdated: z.string() })),
    pagination: z.looseObject({ limit: z.int(), offset: z.int(), total: z.int() }),
  }),
})
