import { z } from 'zod'
import { network } from '../chain-relayer/network.ts'
import { endpoint } from '../core/endpoint.ts'
import { chain, timestamp, usdIn, usdOut, walletIn, walletOut } from '../core/fields.ts'
import { MICRO } from '../core/money.ts'

export const listNetworks = endpoint({
  method: 'get',
  path: '/api/networks',
  summary: 'Networks, contract addresses and whether this is a sandbox',
  caller: 'public',
  response: z.looseObject({
    networks: z.array(network),
    oracleWallet: walletOut.nullable(),
    sandbox: z.looseObject({ faucet: z.boolean(), clock: z.boolean() }),
  }),
})

export const useFaucet = endpoint({
  method: 'post',
  path: '/api/sandbox/faucet',
  summary: 'Test USDC and gas, on devnets only',
  caller: 'public',
  body: z.object({
    walletAddress: walletIn,
    amount: usdIn({ max: 10_000n * MICRO }).prefault(1_000),
    chain: chain.default('BASE_SEPOLIA'),
  }),
  response: z.looseObject({ txHash: z.string().nullable(), gasTxHash: z.string().nullable(), balance: usdOut }),
  also: [202],
  errors: ['ROUTE_NOT_FOUND', 'CHAIN_UNAVAILABLE'],
})

export const advanceClock = endpoint({
  method: 'post',
  path: '/api/sandbox/clock',
  summary: 'Move the platform clock forward and run what becomes due, on devnets only',
  caller: 'public',
  body: z.object({ advanceSeconds: z.int().min(0).max(31_536_000) }),
  response: z.looseObject({ now: timestamp, pending: z.array(z.string()).optional() }),
  also: [202],
  errors: ['ROUTE_NOT_FOUND'],
})
