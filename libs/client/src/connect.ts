import { type Agent, agentOver } from './agent/agent.ts'
import { namingFetch, type Transport } from './call.ts'
import { type OperationsByService, operationsOver } from './operations.ts'
import { type PaymentOptions, payingFetch } from './paying-fetch.ts'
import type { RetryOptions } from './retry.ts'
import { type RequestSigner, signingFetch } from './signing-fetch.ts'
import { type Streams, streamsOver } from './streams.ts'
import { type WaitFor, waitsOver } from './wait-for.ts'

export interface Identity {
  agentId?: string
  walletAddress?: string
  /** Oracle or admin. */
  adminWallet?: string
  adminKey?: string
}

export interface ConnectOptions {
  /** With or without a slash at the end. */
  baseUrl: string
  /** Who calls, where calls are not signed (plain mode); with a signer its wallet says that. */
  identity?: Identity
  /** Signs every call by ERC-8128. */
  signer?: RequestSigner
  /** CAIP-2 number of the network where the signer's wallet is, if it is a contract. */
  chainId?: number
  /** Pays calls that have a price; without it they are refused with PAYMENT_REQUIRED. */
  payment?: PaymentOptions
  fetch?: typeof fetch
  /** Of one attempt. Default 30 s. */
  timeoutMs?: number
  retry?: RetryOptions
}

/** Every public operation, by service, and what an agent does with several of them. */
export interface Carapace extends OperationsByService, Agent {
  readonly waitFor: WaitFor
  readonly stream: Streams
}

/**
 * The SDK of an agent. Without an identity or a signer it reads.
 * @throws Refusal from each call, with the code of the error table
 * @example const client = connect({ baseUrl: 'http://127.0.0.1:3000', signer: new Wallet(key) })
 */
export function connect({ identity, signer, chainId, payment, retry, timeoutMs = 30_000, ...options }: ConnectOptions): Carapace {
  const plain = options.fetch ?? ((input, init) => fetch(input, init))
  const named = namingFetch(signer ? signingFetch(plain, signer, chainId) : plain)
  const caller: Identity = { ...identity }
  const transport: Transport = {
    baseUrl: options.baseUrl.replace(/\/$/, ''),
    send: payment ? payingFetch(named, payment) : named,
    headers: () => ({
      'x-agent-id': caller.agentId,
      'x-wallet-address': caller.walletAddress,
      'x-admin-wallet': caller.adminWallet,
      'x-admin-key': caller.adminKey,
    }),
    timeoutMs,
    retry,
  }
  const operations = operationsOver(transport)
  const [waitFor, stream] = [waitsOver(operations), streamsOver(transport)]
  const wallet = signer?.address ?? caller.walletAddress
  return { ...operations, waitFor, stream, ...agentOver({ ...operations, waitFor, stream }, caller, wallet) }
}
