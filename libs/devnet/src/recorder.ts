import { keccak_256 } from '@noble/hashes/sha3'
import type { Entry, Journal, RecordedBlock } from './journal.ts'
import { RpcError, type Upstream } from './upstream.ts'

export type Head = { number: number; hash: string; timestamp: number }
export type RpcBlock = { number: string; hash: string; parentHash: string; timestamp: string; receiptsRoot: string; transactions: string[] }

/** Transactions that were journaled and not yet seen in a block, in the order of their arrival. */
export type Pending = Map<string, { raw: string; since: number }>

/** Records the chain in the journal: which transactions came in, which blocks were made of them. */
export type Recorder = {
  pending: Pending
  head: () => Head
  /** Journals signed transactions; settles when they are on the disk. A rebroadcast of a pending one costs nothing. */
  transactions: (raws: { hash: string; raw: string }[]) => Promise<void>
  /** Forgets transactions that anvil refused or dropped. */
  drop: (hashes: string[]) => Promise<void>
  /** Journals the blocks that anvil has beyond the last recorded one. False: history was rewritten and needs a dump. */
  blocks: (upstream: Upstream) => Promise<boolean>
  /** Marks the chain's present head as recorded (after a dump or restore). */
  moveTo: (head: Head) => void
}

export function createRecorder(journal: Pick<Journal, 'append'>, start: Head, pending: Pending): Recorder {
  let head = start

  const transactions = async (raws: { hash: string; raw: string }[]) => {
    const fresh = raws.filter(({ hash }) => !pending.has(hash))
    for (const { hash, raw } of fresh) pending.set(hash, { raw, since: Date.now() })
    // An empty append still waits for the write that carries the first broadcast of the same bytes.
    await journal.append(...fresh.map(({ raw }): Entry => ({ kind: 'tx', raw })))
  }
  const drop = async (hashes: string[]) => {
    for (const hash of hashes) pending.delete(hash)
    if (hashes.length > 0) await journal.append({ kind: 'drop', hashes })
  }
  const blocks = async (upstream: Upstream) => {
    for (;;) {
      const latest = await latestBlock(upstream)
      if (Number(latest.number) <= head.number) return latest.hash === head.hash
      const next = await blocksAfter(upstream, head.number, latest)
      for (const block of next) {
        if (block.parentHash !== head.hash) return false
        await record(upstream, block)
      }
      if (head.number === Number(latest.number)) return true
    }
  }
  const record = async (upstream: Upstream, block: RpcBlock) => {
    const unknown = block.transactions.filter(hash => !pending.has(hash))
    const raws = await upstream.batch(unknown.map(hash => ({ method: 'eth_getRawTransactionByHash', params: [hash] })))
    const recorded: RecordedBlock = {
      ...headOf(block),
      receiptsRoot: block.receiptsRoot,
      txs: block.transactions,
    }
    const late = raws.filter(raw => typeof raw === 'string').map((raw): Entry => ({ kind: 'tx', raw }))
    for (const hash of block.transactions) pending.delete(hash)
    head = headOf(block)
    await journal.append(...late, { kind: 'block', ...recorded })
  }
  return { pending, head: () => head, transactions, drop, blocks, moveTo: to => (head = to) }
}

const blocksPerBatch = 200

async function blocksAfter(upstream: Upstream, number: number, latest: RpcBlock): Promise<RpcBlock[]> {
  const count = Math.min(Number(latest.number) - number, blocksPerBatch)
  if (count === 1 && Number(latest.number) === number + 1) return [latest]
  const calls = Array.from({ length: count }, (_, index) => ({
    method: 'eth_getBlockByNumber',
    params: [`0x${(number + 1 + index).toString(16)}`, false],
  }))
  const blocks = await upstream.batch(calls)
  const failed = blocks.find(block => block instanceof RpcError)
  if (failed) throw failed
  return blocks as RpcBlock[]
}

export function latestBlock(upstream: Upstream): Promise<RpcBlock> {
  return upstream.request<RpcBlock>('eth_getBlockByNumber', ['latest', false])
}

export async function hashOfGenesis(upstream: Upstream): Promise<string> {
  return (await upstream.request<RpcBlock>('eth_getBlockByNumber', ['0x0', false])).hash
}

export function headOf(block: Pick<RpcBlock, 'number' | 'hash' | 'timestamp'>): Head {
  return { number: Number(block.number), hash: block.hash, timestamp: Number(block.timestamp) }
}

/** The hash by which a signed transaction is known. */
export function transactionHash(raw: string): string {
  return `0x${Buffer.from(keccak_256(Buffer.from(raw.slice(2), 'hex'))).toString('hex')}`
}
