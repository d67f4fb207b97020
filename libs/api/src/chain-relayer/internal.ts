import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, microText, timestamp, txHash, walletIn, walletOut } from '../core/fields.ts'
import { decodedLog } from './events.ts'
import { operation } from './operations.ts'

/** Reads for other services: 2 s, cached for a block, 503 CHAIN_UNAVAILABLE when the network is away. */
const read = { method: 'get', caller: 'internal', errors: ['CHAIN_UNAVAILABLE'] } as const
const onChainRead = { ...read, params: { chain } }

export const contractNames = [
  'usdc',
  'identityRegistry',
  'reputationRegistry',
  'validationRegistry',
  'card',
  'escrow',
  'bond',
  'swarmValidator',
  'commerce',
  'domains',
  'reputationAdapter',
  'timelock',
] as const
const contracts = z.looseObject(
  Object.fromEntries(contractNames.map(name => [name, walletOut])) as Record<(typeof contractNames)[number], typeof walletOut>,
)

/** One network as users see it. */
export const network = z
  .looseObject({ chain, chainId: z.int(), rpcUrl: z.string(), explorerUrl: z.string().nullable(), gasless: z.boolean(), contracts })
  .meta({ id: 'Network' })
export type Network = z.output<typeof network>

export const getNetworks = endpoint({
  ...read,
  path: '/internal/v1/networks',
  summary: 'Networks, their contracts, and whether they are devnets',
  response: z.looseObject({ networks: z.array(network.extend({ devnet: z.boolean(), finalityBlocks: z.int() })) }),
})

export const getHead = endpoint({
  ...onChainRead,
  path: '/internal/v1/chains/:chain/head',
  summary: 'The last known block, from memory',
  response: z.looseObject({ blockNumber: z.int(), blockHash: z.string(), at: timestamp }),
})

export const getTransaction = endpoint({
  ...read,
  path: '/internal/v1/chains/:chain/transactions/:hash',
  params: { chain, hash: txHash },
  summary: 'A mined transaction with decoded logs; 404 while it is not mined',
  response: z.looseObject({
    txHash: z.string(),
    from: walletOut,
    to: walletOut.nullable(),
    success: z.boolean(),
    blockNumber: z.int(),
    blockHash: z.string(),
    minedAt: timestamp,
    final: z.boolean(),
    /** Calldata, 0x hex. */
    input: z.string(),
    logs: z.array(decodedLog),
  }),
})

export const getBalance = endpoint({
  ...read,
  path: '/internal/v1/chains/:chain/balances/:wallet',
  params: { chain, wallet: walletIn },
  summary: 'USDC and gas of a wallet',
  response: z.looseObject({ usdc: microText, gas: z.string() }),
})

export const getAllowance = endpoint({
  ...read,
  path: '/internal/v1/chains/:chain/allowances/:wallet/:spender',
  params: { chain, wallet: walletIn, spender: z.enum(['escrow', 'bond', 'commerce']) },
  summary: 'What a wallet holds, and lets one of our contracts take',
  response: z.looseObject({ allowance: microText, balance: microText, spender: walletOut }),
})

export const getTokenOwner = endpoint({
  ...read,
  path: '/internal/v1/chains/:chain/owners/:token/:tokenId',
  params: { chain, token: z.enum(['identity', 'card', 'domain']), tokenId: z.string().regex(/^\d{1,78}$/) },
  summary: 'Who owns a token, from the log index; 404 when it does not exist',
  response: z.looseObject({ owner: walletOut, contract: walletOut, blockNumber: z.int() }),
})

export const checkSignature = endpoint({
  method: 'post',
  path: '/internal/v1/chains/:chain/signatures/check',
  params: { chain },
  caller: 'internal',
  summary: 'Whether a contract wallet accepts a signature (ERC-1271)',
  body: z.object({ wallet: walletIn, hash: txHash, signature: z.string().regex(/^0x[0-9a-fA-F]*$/) }),
  response: z.looseObject({ valid: z.boolean() }),
  errors: ['CHAIN_UNAVAILABLE'],
})

export const getOperation = endpoint({
  ...read,
  path: '/internal/v1/operations/:opKey',
  params: { opKey: z.string().min(3).max(200) },
  summary: 'How far a command is; 404 when the relayer does not know it',
  response: operation,
})

/** Address of the custodial key number n; the same on all networks. */
export const getCustodyAddress = endpoint({
  ...read,
  path: '/internal/v1/custody/:n',
  params: { n: z.string().regex(/^\d{1,9}$/) },
  summary: 'A custodial address',
  response: z.looseObject({ address: walletOut }),
  errors: ['PROVIDER_NOT_CONFIGURED'],
})
