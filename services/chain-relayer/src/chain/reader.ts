import type { RawLog } from '@carapace/chain'
import { type Rpc, RpcRefused, resultOf } from '../rpc/rpc.ts'

/** A block header as JSON-RPC gives it. */
export interface Header {
  number: string
  hash: string
  parentHash: string
  timestamp: string
  baseFeePerGas?: string
  gasLimit: string
  gasUsed?: string
  logsBloom?: string
}

/** A receipt as JSON-RPC gives it. */
export interface Receipt {
  transactionHash: string
  blockHash: string
  blockNumber: string
  status: string
  gasUsed: string
  logs: readonly RawLog[]
}

export interface Block {
  number: number
  hash: string
  /** Unix seconds. */
  time: number
}

/** Calls in one request. */
export const perBatch = 100

export const numberOf = (hex: string) => Number(hex)
export const hexOf = (value: number | bigint) => `0x${value.toString(16)}`

export const blockOf = ({ number, hash, timestamp }: Header): Block => ({ number: numberOf(number), hash, time: numberOf(timestamp) })

/** Whether a pushed or fetched value is a header that can be worked with. */
export function isHeader(value: unknown): value is Header {
  return (
    typeof value === 'object' && value !== null && 'hash' in value && 'number' in value && 'parentHash' in value && typeof value.hash === 'string'
  )
}

export async function latestHeader(rpc: Rpc): Promise<Header> {
  const header = await rpc.call('eth_getBlockByNumber', ['latest', false])
  if (!isHeader(header)) throw new RpcRefused('eth_getBlockByNumber', { code: 0, message: 'no latest block' })
  return header
}

export async function headerAt(rpc: Rpc, block: number): Promise<Header | undefined> {
  const header = await rpc.call('eth_getBlockByNumber', [hexOf(block), false])
  return isHeader(header) ? header : undefined
}

/**
 * The receipts of a block, in one call where the node can, else one by one. undefined when the block or one of its receipts is not known (any
 * more).
 * @param part where the node has no such call: the transactions that are enough (`isWhole` is false then); undefined = all of the block
 */
export async function receiptsOf(
  rpc: Rpc,
  header: Pick<Header, 'hash'>,
  part: () => readonly string[] | undefined,
): Promise<{ found: readonly Receipt[]; isWhole: boolean } | undefined> {
  try {
    const receipts = await rpc.call('eth_getBlockReceipts', [header.hash])
    return Array.isArray(receipts) ? { found: receipts as Receipt[], isWhole: true } : undefined
  } catch (error) {
    if (!(error instanceof RpcRefused)) throw error
    if (!/not (found|supported|available|exist)|unknown method|-32601/i.test(`${error.message} ${error.fault.code}`)) return undefined
    const hashes = part()
    if (hashes === undefined) return eachReceiptOf(rpc, header)
    const some = await receiptsByHash(rpc, hashes)
    return { found: some.filter(receipt => receipt.blockHash === header.hash), isWhole: false }
  }
}

async function eachReceiptOf(rpc: Rpc, { hash }: Pick<Header, 'hash'>): Promise<{ found: readonly Receipt[]; isWhole: true } | undefined> {
  const block = (await rpc.call('eth_getBlockByHash', [hash, false])) as { transactions: readonly string[] } | null
  if (!block) return undefined
  const found = await receiptsByHash(rpc, block.transactions)
  return found.length === block.transactions.length ? { found, isWhole: true } : undefined
}

/** The headers of blocks in a row; ends before the first that the node does not know. */
export async function headersIn(rpc: Rpc, from: number, to: number): Promise<Header[]> {
  const found: Header[] = []
  for (let at = from; at <= to; at += perBatch) {
    const numbers = Array.from({ length: Math.min(perBatch, to - at + 1) }, (_, index) => hexOf(at + index))
    for (const reply of await rpc.batch(numbers.map(number => ({ method: 'eth_getBlockByNumber', params: [number, false] })))) {
      const header = resultOf('eth_getBlockByNumber', reply)
      if (!isHeader(header)) return found
      found.push(header)
    }
  }
  return found
}

/** Receipts of transactions; the unknown and unmined ones are left out. */
export async function receiptsByHash(rpc: Rpc, hashes: readonly string[]): Promise<Receipt[]> {
  const found: Receipt[] = []
  for (let at = 0; at < hashes.length; at += perBatch) {
    const calls = hashes.slice(at, at + perBatch).map(hash => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
    for (const reply of await rpc.batch(calls)) {
      const receipt = resultOf('eth_getTransactionReceipt', reply)
      if (receipt) found.push(receipt as Receipt)
    }
  }
  return found
}
