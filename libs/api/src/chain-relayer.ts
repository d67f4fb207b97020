import { z } from 'zod'
import { endpoint } from './core/endpoint.ts'
import { event } from './core/event.ts'
import { chain, listOf, timestamp, txHash, walletIn } from './core/fields.ts'
import { serviceApi } from './core/service-api.ts'

/** `<kind>:<ids>`, chosen by the caller from business facts (behaviour 13). */
export const opKey = z.string().regex(/^[a-z0-9.-]{3,40}(:[A-Za-z0-9._-]{1,128}){1,4}$/, 'must be kind:ids')

/**
 * What a service asks of the relayer. Travels as type `chain.command.v1` on the commands exchange, routing key `chain.command.<chain>`.
 * Services build it with the typed builders of `@carapace/chain`, never by hand.
 */
export const chainCommand = z.object({
  opKey,
  /** From 1. A terminal failure may be tried again only as a higher round. */
  round: z.int().min(1).max(1_000_000),
  network: chain,
  kind: z.string().regex(/^[a-z]+\.[a-z0-9-]+$/),
  args: z.record(z.string(), z.unknown()),
  /** Commands with one aggregate key are carried out in the order in which they came. */
  aggregateKey: z.string().min(1).max(200),
  /** Unix milliseconds, wall clock. Past it the command is never signed. */
  deadline: z.int().positive().optional(),
  causationId: z.string().max(200).optional(),
})
export type ChainCommand = z.output<typeof chainCommand>
export const chainCommandType = 'chain.command.v1'
/** Routing key of a network's commands. @example commandRoute('BASE_SEPOLIA') === 'chain.command.BASE_SEPOLIA' */
export const commandRoute = (network: z.output<typeof chain>) => `chain.command.${network}`

/** A decoded log: big integers as decimal text, bytes as hex. */
export const chainLog = z.object({
  contract: z.string(),
  event: z.string(),
  args: z.record(z.string(), z.unknown()),
  address: z.string(),
  logIndex: z.int(),
})
export type ChainLog = z.output<typeof chainLog>

const outcome = {
  opKey,
  round: z.int(),
  kind: z.string(),
  network: chain,
  aggregateKey: z.string(),
  /** Rises with every event about this operation key. */
  seq: z.int(),
}
const inBlock = { txHash, blockNumber: z.int(), blockHash: txHash, blockTime: z.int().meta({ description: 'Unix seconds, block time' }) }

export const commandFailureCodes = [
  'REVERTED',
  'OUT_OF_GAS',
  'EXPIRED',
  'CANCELLED',
  'INVALID_COMMAND',
  'IDEMPOTENCY_MISMATCH',
  'ROUND_REFUSED',
  'REPLACED',
  'REJECTED_BY_NODE',
] as const

export const chainCommandSubmitted = event('chain.command.submitted', 'opKey', 'A transaction was signed and its hash is known', {
  ...outcome,
  txHash,
})
export const chainCommandConfirmed = event('chain.command.confirmed', 'opKey', 'The effect is in a block (depth 0)', {
  ...outcome,
  ...inBlock,
  logs: z.array(chainLog),
})
export const chainCommandFinalized = event('chain.command.finalized', 'opKey', 'The block of the effect is final', {
  ...outcome,
  ...inBlock,
  logs: z.array(chainLog),
})
export const chainCommandFailed = event('chain.command.failed', 'opKey', 'The command had no effect and, in this round, never will', {
  ...outcome,
  /** IDEMPOTENCY_MISMATCH, ROUND_REFUSED and INVALID_COMMAND speak of the refused command, not of the key: they free nothing. EXPIRED: never signed and never will be. */
  code: z.enum(commandFailureCodes),
  /** True when this ends the round: reservations may be freed. */
  terminal: z.boolean(),
  message: z.string(),
  /** Decoded custom error or revert text, when there was one. */
  revert: z.object({ name: z.string(), args: z.array(z.string()) }).optional(),
  attempts: z.int(),
  txHash: txHash.optional(),
})
export const chainCommandReorged = event(
  'chain.command.reorged',
  'opKey',
  'The block of a confirmed effect is gone; the same transaction is sent again',
  {
    ...outcome,
    txHash,
    blockHash: txHash,
  },
)

const seenLog = {
  /** `<network>:<blockHash>:<logIndex>`: one per log and branch. */
  logId: z.string(),
  network: chain,
  ...chainLog.shape,
  ...inBlock,
}

/** Contract events that services hear about, decoded: the producer's side of `chain.event.<Contract>.<Event>`. */
export const chainEvent = (contract: string, name: string) =>
  event(`chain.event.${contract}.${name}`, 'logId', `${contract} emitted ${name}`, {
    ...seenLog,
    /** false: seen at depth 0. true: final, comes a second time; money consumers act on this one only. */
    final: z.boolean(),
  })
export const chainEventRemoved = event('chain.event.removed', 'logId', 'A contract event seen before is gone with its block', seenLog)

const chainPath = { chain }
const opView = z.looseObject({
  commandId: z.string(),
  network: chain,
  kind: z.string(),
  state: z.string(),
  round: z.int(),
  attempts: z.int(),
  aggregateKey: z.string(),
  txHash: z.string().nullable(),
  nonce: z.int().nullable(),
  error: z.string().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
})
const commandPath = { commandId: opKey }

const endpoints = {
  listChainQueue: endpoint({
    method: 'get',
    path: '/api/admin/chain-queue',
    caller: 'admin',
    summary: 'Chain commands, newest first',
    query: {
      state: z.enum(['QUEUED', 'INCLUDED', 'CONFIRMED', 'FINAL', 'FAILED', 'CANCELLED', 'EXPIRED']).optional(),
      chain: chain.optional(),
      limit: z.coerce.number().int().min(1).max(100).default(20),
      offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
    },
    response: listOf('commands', opView),
  }),
  getChainCommand: endpoint({
    method: 'get',
    path: '/api/admin/chain-queue/:commandId',
    caller: 'admin',
    summary: 'One chain command with its transactions',
    params: commandPath,
    response: opView,
  }),
  retryChainCommand: endpoint({
    method: 'post',
    path: '/api/admin/chain-queue/:commandId/retry',
    caller: 'admin',
    summary: 'Send a failed command again: same key, next round',
    params: commandPath,
    status: 202,
    response: z.looseObject({ success: z.literal(true), commandId: z.string(), round: z.int() }),
    errors: ['INVALID_STATE'],
  }),
  cancelChainCommand: endpoint({
    method: 'post',
    path: '/api/admin/chain-queue/:commandId/cancel',
    caller: 'admin',
    summary: 'Cancel a command: unsigned at once, signed by replacing its transaction',
    params: commandPath,
    status: 202,
    response: z.looseObject({ success: z.literal(true), commandId: z.string(), state: z.string() }),
    errors: ['INVALID_STATE'],
  }),
}

const internal = {
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
    summary: 'USDC that owner lets spender take',
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
    response: z.object({ owner: z.string().nullable(), blockNumber: z.int() }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
  chainRead: endpoint({
    method: 'post',
    path: '/internal/v1/chain/:chain/read',
    caller: 'internal',
    summary: 'Calls a view function of one of our contracts; big integers as decimal text',
    params: chainPath,
    body: z.object({ contract: z.string().max(40), fn: z.string().max(100), args: z.array(z.unknown()).max(10) }),
    response: z.object({ result: z.array(z.unknown()), blockNumber: z.int() }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
  isValidSignature: endpoint({
    method: 'post',
    path: '/internal/v1/chain/:chain/is-valid-signature',
    caller: 'internal',
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
      headTime: z.int(),
      leading: z.boolean(),
      lane: z.object({ address: z.string(), queued: z.int(), inflight: z.int(), nonceGap: z.int() }),
      contracts: z.record(z.string(), z.string()),
    }),
    errors: ['CHAIN_UNAVAILABLE'],
  }),
}

export const chainRelayerApi = serviceApi('chain-relayer', {
  endpoints,
  internal,
  events: { chainCommandSubmitted, chainCommandConfirmed, chainCommandFinalized, chainCommandFailed, chainCommandReorged, chainEventRemoved },
})
