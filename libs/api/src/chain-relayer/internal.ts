import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { chain, timestamp, txHash, walletIn } from '../core/fields.ts'
import { opKey } from './command.ts'
import { chainLog } from './log.ts'
import { network } from './network.ts'

const chainPath = { chain }
/** Calls of one `chainReads`. */
export const maxChainReads = 200
/** Names of contracts, separated by commas. */
const contracts = z.string().regex(/^[A-Za-z]{1,40}(,[A-Za-z]{1,40}){0,20}$/)

/** An event as it travels on the bus. */
const announcedEvent = z.object({
  specversion: z.literal('1.0'),
  id: z.string(),
  source: z.string(),
  type: z.string(),
  subject: z.string(),
  time: z.string(),
  datacontenttype: z.literal('application/json'),
  aggregateversion: z.int(),
  traceparent: z.string().optional(),
  data: z.record(z.string(), z.unknown()),
})

/** Operations in one question for outcomes. */
export const outcomesPerRequest = 100

const commandOutcome = z.object({
  opKey,
  /** false: no command of this key ever arrived. Everything below is then empty. */
  known: z.boolean(),
  round: z.int(),
  /** Nothing follows for this round: its effect is final, or it failed and no block can include a transaction that carried it. */
  ended: z.boolean(),
  failed: z.boolean(),
  /** Since when the chain decided as it says now; null while the command is under way. */
  decidedAt: timestamp.nullable(),
  /** Something was decided that comes after the given `seq`. */
  news: z.boolean(),
  events: z.array(announcedEvent),
})

/** Name and version of the USDC contract's EIP-712 domain, as the token itself answers them. */
const tokenDomain = z.object({ name: z.string(), version: z.string() })

/** Where contracts were before: records that were opened there are there until their end. By the names of `contracts`, oldest first. Those of commerce and its evaluator are pairs, and so are those of bond and swarmValidator. */
const earlier = z.array(z.string()).optional()
const formerContracts = z
  .object({ escrow: earlier, bond: earlier, swarmValidator: earlier, commerce: earlier, jobEvaluator: earlier, domains: earlier })
  .optional()

/** Reads for other services: 2 s, cached for a block, 503 CHAIN_UNAVAILABLE when the network is away. */
export const relayerReads = {
  chainTx: endpoint({
    method: 'get',
    path: '/internal/v1/chain/:chain/tx/:hash',
    caller: 'internal',
    summary: 'A mined transaction with decoded logs',
    params: { ...chainPath, hash: txHash },
    response: z.object({
      hash: txHash,
      from: z.string(),
      to: z.string().nullable(),
      value: z.string(),
      input: z.string(),
      success: z.boolean(),
      blockNumber: z.int(),
      blockHash: txHash,
      blockTime: z.int(),
      confirmations: z.int(),
      final: z.boolean(),
      logs: z.array(chainLog),
    }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
  chainBalance: endpoint({
    method: 'get',
    path: '/internal/v1/chain/:chain/balance/:wallet',
    caller: 'internal',
    summary: 'USDC and native balance of an address',
    params: { ...chainPath, wallet: walletIn },
    response: z.object({ usdc: z.string(), native: z.string(), blockNumber: z.int() }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
  chainAllowance: endpoint({
    method: 'get',
    path: '/internal/v1/chain/:chain/allowance/:owner/:spender',
    caller: 'internal',
    summary: 'USDC that spender may draw from owner',
    params: { ...chainPath, owner: walletIn, spender: walletIn },
    response: z.object({ usdc: z.string(), blockNumber: z.int() }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
  chainOwnerOf: endpoint({
    method: 'get',
    path: '/internal/v1/chain/:chain/owner-of/:contract/:tokenId',
    caller: 'internal',
    summary: 'Owner of a token; null when it does not exist',
    params: { ...chainPath, contract: z.enum(['IdentityRegistry', 'Card', 'DomainRegistry']), tokenId: z.string().regex(/^\d{1,78}$/) },
    /** `at`: the contract of this name that has the token, if it may be a replaced one. */
    query: { at: walletIn.optional() },
    response: z.object({ owner: z.string().nullable(), blockNumber: z.int() }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
  chainRead: endpoint({
    method: 'post',
    path: '/internal/v1/chain/:chain/read',
    caller: 'internal',
    rate: 'read',
    summary: 'Calls a view function of one of our contracts; big integers as decimal text',
    params: chainPath,
    /** `at`: one of this name that was replaced; default: the present one. `isFinal`: in the newest final block; default: in the newest one. */
    body: z.object({
      contract: z.string().max(40),
      fn: z.string().max(100),
      args: z.array(z.unknown()).max(10),
      at: z.string().optional(),
      isFinal: z.boolean().optional(),
    }),
    response: z.object({ result: z.array(z.unknown()), blockNumber: z.int() }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
  chainReads: endpoint({
    method: 'post',
    path: '/internal/v1/chain/:chain/reads',
    caller: 'internal',
    rate: 'read',
    summary: 'Calls a view function with each of several lists of arguments, all in one block; otherwise as `chainRead`',
    params: chainPath,
    body: z.object({
      contract: z.string().max(40),
      fn: z.string().max(100),
      calls: z.array(z.array(z.unknown()).max(10)).min(1).max(maxChainReads),
      at: z.string().optional(),
      isFinal: z.boolean().optional(),
    }),
    response: z.object({ results: z.array(z.array(z.unknown())), blockNumber: z.int() }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
  chainCode: endpoint({
    method: 'get',
    path: '/internal/v1/chain/:chain/code/:wallet',
    caller: 'internal',
    summary: 'Code at an address, hex; 0x for a wallet without any',
    params: { ...chainPath, wallet: walletIn },
    response: z.object({ code: z.string() }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
  chainCall: endpoint({
    method: 'post',
    path: '/internal/v1/chain/:chain/call',
    caller: 'internal',
    rate: 'read',
    summary: 'Simulates a call of any contract on the newest block; a revert is an answer',
    params: chainPath,
    body: z.object({ to: walletIn, data: z.string().regex(/^0x([0-9a-fA-F]{2}){0,8192}$/) }),
    response: z.object({ success: z.boolean(), data: z.string(), reason: z.string().nullable() }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
  chainAuthorization: endpoint({
    method: 'get',
    path: '/internal/v1/chain/:chain/authorization/:wallet/:nonce',
    caller: 'internal',
    summary: 'The transaction that used or cancelled an authorisation of the token (EIP-3009); null where none is known',
    params: { ...chainPath, wallet: walletIn, nonce: txHash },
    query: {
      /** Unix seconds, before the use: some hours from then on are searched. Default: the last blocks are. */
      since: z.coerce.number().int().min(0).optional(),
    },
    response: z.object({ txHash: txHash.nullable(), cancelled: z.boolean() }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
  isValidSignature: endpoint({
    method: 'post',
    path: '/internal/v1/chain/:chain/is-valid-signature',
    caller: 'internal',
    rate: 'read',
    summary: 'Whether a signature over a 32-byte hash is that of a wallet (EOA or ERC-1271)',
    params: chainPath,
    body: z.object({ wallet: walletIn, hash: txHash, signature: z.string().regex(/^0x([0-9a-fA-F]{2}){1,4096}$/) }),
    response: z.object({ valid: z.boolean() }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
  custodyWallet: endpoint({
    method: 'post',
    path: '/internal/v1/custody/wallets',
    caller: 'internal',
    summary: 'The custodial address of an owner, the same on both networks; made at the first call',
    body: z.object({ owner: z.string().regex(/^[A-Za-z0-9_.:-]{1,100}$/) }),
    response: z.object({ address: z.string(), created: z.boolean() }),
  }),
  chainOutcomes: endpoint({
    method: 'post',
    path: '/internal/v1/chain/outcomes',
    caller: 'internal',
    rate: 'read',
    summary: 'What became of commands, as the same events that announced it',
    body: z.object({
      operations: z
        .array(
          z.object({
            opKey,
            /** Number of the last event about it that the calling service handled; 0: none. */
            seq: z.int().min(0).default(0),
          }),
        )
        .max(outcomesPerRequest),
      /** Whether the calling service consumes a `finalized` outcome. Without it a final success says nothing new after its confirmation. */
      finality: z.boolean().default(false),
      /** false: only whether there is news, without the events, which have to be read from the chain. */
      events: z.boolean().default(true),
    }),
    response: z.object({ outcomes: z.array(commandOutcome) }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
  chainLogs: endpoint({
    method: 'get',
    path: '/internal/v1/chain/:chain/logs',
    caller: 'internal',
    summary: 'Final events of contracts in whole blocks, in their order, as they were announced',
    params: chainPath,
    query: {
      /** Block after which to begin. */
      after: z.coerce.number().int().min(-1),
      contracts,
    },
    response: z.object({
      /** Everything of these contracts up to this block is in the answer. */
      upTo: z.int(),
      /** More follows after `upTo`. */
      more: z.boolean(),
      events: z.array(announcedEvent),
    }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
  chainRemovedLogs: endpoint({
    method: 'get',
    path: '/internal/v1/chain/:chain/removed-logs',
    caller: 'internal',
    summary: 'Events of contracts that were withdrawn because their block was dropped, in the order of their withdrawal',
    params: chainPath,
    query: {
      /** Unix ms: withdrawn from then on. */
      since: z.coerce.number().int().min(0),
      contracts,
    },
    response: z.object({
      /** Everything of these contracts that was withdrawn before this moment is in the answer, Unix ms. */
      upTo: z.int(),
      /** More follows from `upTo` on. */
      more: z.boolean(),
      events: z.array(announcedEvent),
    }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
  chainNetworks: endpoint({
    method: 'get',
    path: '/internal/v1/networks',
    caller: 'internal',
    summary: 'Networks as users see them, and whether they are devnets',
    response: z.looseObject({ networks: z.array(network.extend({ devnet: z.boolean(), finalityBlocks: z.int(), tokenDomain, formerContracts })) }),
  }),
  chainBlocks: endpoint({
    method: 'get',
    path: '/internal/v1/chain/:chain/blocks',
    caller: 'internal',
    summary: 'The newest blocks, newest first',
    params: chainPath,
    response: z.object({ blocks: z.array(z.object({ number: z.int(), hash: txHash, time: z.int(), transactions: z.int() })) }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
  chainStatus: endpoint({
    method: 'get',
    path: '/internal/v1/chain/:chain/status',
    caller: 'internal',
    summary: 'Head, lane and addresses of a network',
    params: chainPath,
    response: z.looseObject({
      chain,
      chainId: z.int(),
      head: z.int(),
      headHash: txHash,
      headTime: z.int(),
      /** The process that answers sends. */
      leading: z.boolean(),
      /** It, or another process, sends: `lane` is what that one has to do. */
      led: z.boolean(),
      /** The node contradicts itself: what it does not show may be there. */
      contradicted: z.boolean(),
      lane: z.object({ address: z.string(), queued: z.int(), inflight: z.int(), nonceGap: z.int() }),
      /** Addresses of all keys that ever sent here: their transactions are ours. Absent in an answer of a former version. */
      laneAddresses: z.array(z.string()).optional(),
      /** What the former key still has to finish, while keys are exchanged; null: there is none. Absent in an answer of a former version. */
      retiring: z
        .object({ address: z.string(), commands: z.int(), transactions: z.int(), usdc: z.string(), drained: z.boolean() })
        .nullable()
        .optional(),
      contracts: z.record(z.string(), z.string()),
    }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
}
