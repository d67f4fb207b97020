import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, id, pageQuery, timestamp, walletOut } from '../core/fields.ts'

export const getEscrowWalletBalance = endpoint({
  method: 'get',
  path: '/api/circle/escrow/:gigId/balance',
  summary: 'What the escrow of a gig holds',
  caller: 'optional',
  response: z.looseObject({
    gigId: id,
    chain: chain.nullable(),
    address: walletOut.nullable(),
    balances: z.array(z.looseObject({ amount: z.string(), token: z.looseObject({ symbol: z.string(), decimals: z.int() }) })),
  }),
})

export const getProviderTransaction = endpoint({
  method: 'get',
  path: '/api/circle/transaction/:transactionId',
  summary: 'State of a custodial transfer',
  caller: 'optional',
  response: z.looseObject({
    id,
    state: z.enum(['INITIATED', 'QUEUED', 'SENT', 'CONFIRMED', 'COMPLETE', 'FAILED', 'CANCELLED']),
    transactionType: z.string(),
    txHash: z.string().nullable(),
    blockchain: z.string(),
    createDate: timestamp,
    updateDate: timestamp,
  }),
})

export const listProviderWallets = endpoint({
  method: 'get',
  path: '/api/circle/wallets',
  summary: 'Custodial wallets; whose they are only for admins',
  caller: 'optional',
  query: pageQuery,
  response: z.looseObject({
    wallets: z.array(
      z.looseObject({ id, address: walletOut, blockchain: z.string(), state: z.string(), createDate: timestamp, agentId: id.optional() }),
    ),
    total: z.int(),
    configured: z.boolean(),
  }),
})

export const getProviderConfig = endpoint({
  method: 'get',
  path: '/api/circle/config',
  summary: 'The provider of custodial wallets',
  caller: 'optional',
  response: z.looseObject({
    configured: z.boolean(),
    provider: z.enum(['local', 'circle']),
    supportedChains: z.array(z.looseObject({ id: z.string(), name: z.string(), chainId: z.int() })),
    defaultChain: chain,
  }),
})
