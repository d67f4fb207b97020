import { type ChainLog, refuse } from '@carapace/api'
import { type ContractName, contractInterface, decodeRevert, rawForm, revertText, toChecksum } from '@carapace/chain'
import { type Rpc, RpcRefused, RpcUnavailable } from '../rpc/rpc.ts'
import { type AuthorizationUse, authorizationUse } from './authorization-use.ts'
import type { Network } from './network.ts'
import { placeOf } from './place-of.ts'
import { hexOf, numberOf, type Receipt } from './reader.ts'
import { verifySignature } from './signatures.ts'
import { callViews } from './views.ts'

/** What other services may query about a network: 2 s at most. An answer is cached as long as its block is the newest. */
export interface Reads {
  head(): Promise<{ number: number; hash: string; time: number }>
  /** The newest blocks, newest first. */
  blocks(): Promise<BlockView[]>
  transaction(hash: string): Promise<TransactionView>
  balance(wallet: string): Promise<{ usdc: string; native: string; blockNumber: number }>
  allowance(owner: string, spender: string): Promise<{ usdc: string; blockNumber: number }>
  /** @param at as of `view` */
  ownerOf(contract: ContractName, tokenId: string, at?: string): Promise<{ owner: string | null; blockNumber: number }>
  /** @param at a former contract of this name; default: the present one */
  view(
    contract: string,
    fn: string,
    args: readonly unknown[],
    where?: { at?: string; isFinal?: boolean },
  ): Promise<{ result: unknown[]; blockNumber: number }>
  /** As `view` with each of these lists of arguments, all in one block; not cached. */
  views(
    contract: string,
    fn: string,
    calls: readonly (readonly unknown[])[],
    where?: { at?: string; isFinal?: boolean },
  ): Promise<{ results: unknown[][]; blockNumber: number }>
  isValidSignature(wallet: string, hash: string, signature: string): Promise<boolean>
  code(address: string): Promise<string>
  /** @param since Unix seconds, before the use; default: the last blocks are searched */
  authorizationUse(wallet: string, nonce: string, since?: number): Promise<AuthorizationUse>
  /** A call of any contract; a revert is an answer, with its reason where it can be read. */
  simulate(to: string, data: string): Promise<{ success: boolean; data: string; reason: string | null }>
}
export interface BlockView {
  number: number
  hash: string
  time: number
  transactions: number
}
export interface TransactionView {
  hash: string
  from: string
  to: string | null
  value: string
  input: string
  success: boolean
  blockNumber: number
  blockHash: string
  blockTime: number
  confirmations: number
  final: boolean
  logs: ChainLog[]
}

const maxCached = 5_000
const shownBlocks = 5
/** A head older than this is requested again: a node may stop pushing heads without a notice. */
const headTtlMs = 1_000

export function openReads(network: Network, rpc: Rpc): Reads {
  const cache = new Map<string, Promise<unknown>>()
  let latest: { number: number; hash: string; time: number } | undefined
  let knownAt = 0
  rpc.onHead(() => {
    latest = undefined
  })

  async function head() {
    if (latest && performance.now() - knownAt < headTtlMs) return latest
    const header = (await query('eth_getBlockByNumber', ['latest', false])) as { number: string; hash: string; timestamp: string }
    const fresh = { number: numberOf(header.number), hash: header.hash, time: numberOf(header.timestamp) }
    if (fresh.hash !== latest?.hash) cache.clear()
    latest = fresh
    knownAt = performance.now()
    return fresh
  }

  /** @throws Refusal CHAIN_UNAVAILABLE; RpcRefused when the node refused this very call */
  async function query(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return await rpc.call(method, params)
    } catch (error) {
      if (error instanceof RpcUnavailable) refuse('CHAIN_UNAVAILABLE', { chain: network.chain })
      throw error
    }
  }

  const finalOf = (block: number): number => Math.max(0, block - network.finality)

  async function perBlock<T>(key: string, read: (block: { number: number; tag: string }) => Promise<T>): Promise<T> {
    const { number, hash } = await head()
    const cacheKey = `${hash}/${key}`
    const cached = cache.get(cacheKey)
    if (cached !== undefined) return cached as Promise<T>
    if (cache.size >= maxCached) cache.clear()
    const answer = read({ number, tag: hexOf(number) })
    cache.set(cacheKey, answer)
    answer.catch(() => cache.delete(cacheKey))
    return answer
  }

  async function call(
    contract: ContractName,
    fn: string,
    args: readonly unknown[],
    tag: string,
    to = network.addresses[contract],
  ): Promise<readonly unknown[]> {
    const abi = contractInterface(contract)
    const fragment = abi.getFunction(fn)!
    const answer = await query('eth_call', [{ to, data: abi.encodeFunctionData(fragment, args) }, tag])
    return abi.decodeFunctionResult(rawForm(fragment), String(answer))
  }

  return {
    head,
    blocks: () =>
      perBlock('blocks', async ({ number }) => {
        const numbers = Array.from({ length: Math.min(shownBlocks, number + 1) }, (_, n) => number - n)
        const found = await Promise.all(numbers.map(one => query('eth_getBlockByNumber', [hexOf(one), false])))
        return found.flatMap(block => (block === null ? [] : blockView(block as RawBlock)))
      }),
    transaction: hash =>
      perBlock(`tx/${hash.toLowerCase()}`, async ({ number }) => {
        const [receipt, tx] = await Promise.all([query('eth_getTransactionReceipt', [hash]), query('eth_getTransactionByHash', [hash])])
        if (!receipt || !tx) return refuse('NOT_FOUND', { resource: 'transaction' })
        const { timestamp } = (await query('eth_getBlockByHash', [(receipt as Receipt).blockHash, false])) as { timestamp: string }
        return transactionView(network, receipt as Receipt, tx as RawTransaction, numberOf(timestamp), number)
      }),
    balance: wallet =>
      perBlock(`balance/${wallet}`, async ({ number, tag }) => {
        const [[usdc], native] = await Promise.all([call('USDC', 'balanceOf', [wallet], tag), query('eth_getBalance', [wallet, tag])])
        return { usdc: String(usdc), native: String(BigInt(String(native))), blockNumber: number }
      }),
    allowance: (owner, spender) =>
      perBlock(`allowance/${owner}/${spender}`, async ({ number, tag }) => {
        const [usdc] = await call('USDC', 'allowance', [owner, spender], tag)
        return { usdc: String(usdc), blockNumber: number }
      }),
    ownerOf: async (contract, tokenId, at) => {
      const to = placeOf(network, contract, at)
      return perBlock(`owner/${to}/${tokenId}`, async ({ number, tag }) => {
        const owner = await call(contract, 'ownerOf', [BigInt(tokenId)], tag, to).catch(none)
        return { owner: owner ? String(owner[0]) : null, blockNumber: number }
      })
    },
    view: (contract, fn, args, { at, isFinal = false } = {}) =>
      perBlock(`view/${contract}/${at}/${isFinal}/${fn}/${JSON.stringify(args)}`, async ({ number }) => {
        const blockNumber = isFinal ? finalOf(number) : number
        const [result] = await callViews(network, rpc, { contract, fn, at }, [args], hexOf(blockNumber))
        return { result: result!, blockNumber }
      }),
    views: async (contract, fn, calls, { at, isFinal = false } = {}) => {
      const { number } = await head()
      const blockNumber = isFinal ? finalOf(number) : number
      return { results: await callViews(network, rpc, { contract, fn, at }, calls, hexOf(blockNumber)), blockNumber }
    },
    code: address => perBlock(`code/${address}`, async ({ tag }) => String(await query('eth_getCode', [address, tag]))),
    authorizationUse: (wallet, nonce, since) =>
      perBlock(`authorization/${wallet}/${nonce}/${since}`, ({ number: head }) =>
        authorizationUse({ token: network.addresses.USDC, query, head }, wallet, nonce, since),
      ),
    simulate: (to, data) =>
      perBlock(`call/${to}/${data}`, async ({ tag }) => {
        try {
          return { success: true, data: String(await query('eth_call', [{ to, data }, tag])), reason: null }
        } catch (error) {
          if (!(error instanceof RpcRefused)) throw error
          const reverted = typeof error.fault.data === 'string' ? error.fault.data : '0x'
          return { success: false, data: reverted, reason: reverted === '0x' ? error.fault.message : revertText(decodeRevert(reverted)) }
        }
      }),
    isValidSignature: (wallet, hash, signature) =>
      perBlock(`signature/${wallet}/${hash}/${signature}`, ({ tag }) => verifySignature(query, wallet, hash, signature, tag)),
  }
}

interface RawTransaction {
  from: string
  to: string | null
  value: string
  input: string
}

interface RawBlock {
  number: string
  hash: string
  timestamp: string
  transactions: readonly unknown[]
}
const blockView = ({ number, hash, timestamp, transactions }: RawBlock): BlockView => ({
  number: numberOf(number),
  hash,
  time: numberOf(timestamp),
  transactions: transactions.length,
})

function transactionView(network: Network, receipt: Receipt, tx: RawTransaction, blockTime: number, head: number): TransactionView {
  const blockNumber = numberOf(receipt.blockNumber)
  return {
    hash: receipt.transactionHash,
    from: toChecksum(tx.from),
    to: tx.to ? toChecksum(tx.to) : null,
    value: String(BigInt(tx.value)),
    input: tx.input,
    success: receipt.status === '0x1',
    blockNumber,
    blockHash: receipt.blockHash,
    blockTime,
    confirmations: head - blockNumber,
    final: head - blockNumber >= network.finality,
    logs: network.decodeLogs(receipt.logs),
  }
}

/** A view that reverts: the token does not exist. */
function none(error: unknown): undefined {
  if (error instanceof RpcRefused) return undefined
  throw error
}
