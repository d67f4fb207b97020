import type { Chain } from '@carapace/api'
import { startNode, stopNode } from '@carapace/devnet'
import { type System, threadSeconds } from '@carapace/testing'
import { Transaction, type TransactionLike } from 'ethers'
import { temporaryDataDir } from '../testing/child.ts'

/** A network before some gigs, and what they sent to it. */
export interface RecordedGigs {
  chainId: number
  state: string
  blocks: readonly { timestamp: number; raws: readonly string[] }[]
}

interface FullBlock {
  timestamp: string
  transactions: readonly (TransactionLike & { hash: string; input: string; gas: string; type: string; r: string; s: string; yParity: string })[]
}

const hex = (value: number) => `0x${value.toString(16)}`

/** Resolves to what a network got while `work` ran. The network is at rest before and after. */
export async function recordGigs({ chainId, provider }: System['networks'][Chain], work: () => Promise<void>): Promise<RecordedGigs> {
  let [first, state] = [-1, '']
  // a block between the two calls would be in the state and repeated
  while (first !== (await provider.getBlockNumber())) {
    first = await provider.getBlockNumber()
    state = await provider.send('anvil_dumpState', [])
  }
  await work()
  const last = await provider.getBlockNumber()
  const numbers = Array.from({ length: last - first }, (_, n) => first + 1 + n)
  const blocks = await Promise.all(numbers.map(number => provider.send('eth_getBlockByNumber', [hex(number), true]) as Promise<FullBlock>))
  return { chainId, state, blocks: blocks.map(({ timestamp, transactions }) => ({ timestamp: Number(timestamp), raws: transactions.map(rawOf) })) }
}

/** The signed bytes of a mined transaction. @throws Error where they would have another hash */
function rawOf({
  hash,
  input,
  gas,
  type,
  r,
  s,
  yParity,
  nonce,
  to,
  value,
  maxFeePerGas,
  maxPriorityFeePerGas,
  gasPrice,
  chainId,
  accessList,
}: FullBlock['transactions'][number]): string {
  const fees = Number(type) === 2 ? { maxFeePerGas, maxPriorityFeePerGas } : { gasPrice }
  const signature = { r, s, yParity: Number(yParity) as 0 | 1 }
  const transaction = Transaction.from({
    ...{
      type: Number(type),
      nonce: Number(nonce),
      to: to ?? null,
      value: value ?? 0,
      data: input,
      gasLimit: gas,
      chainId: Number(chainId),
      signature,
    },
    ...fees,
    ...(accessList ? { accessList } : {}),
  })
  if (transaction.hash !== hash) throw new Error(`${hash} was not written again as it was`)
  return transaction.serialized
}

/** CPU seconds of an anvil alone, block by block as it was. @throws Error where a block gets other transactions */
export async function bareChainSeconds({ chainId, state, blocks }: RecordedGigs): Promise<number> {
  const folder = await temporaryDataDir()
  const network = { chain: 'BARE', chainId, gasless: false }
  const node = await startNode(network, { dir: folder.path, genesisSec: blocks[0]!.timestamp - 1 })
  try {
    await node.upstream.request('anvil_loadState', [state], 300_000)
    const before = threadSeconds(node.anvil.pid)
    for (const { timestamp, raws } of blocks) {
      await node.upstream.batch(raws.map(raw => ({ method: 'eth_sendRawTransaction', params: [raw] })))
      await node.upstream.request('evm_setNextBlockTimestamp', [timestamp])
      await node.upstream.request('evm_mine')
    }
    const used = threadSeconds(node.anvil.pid) - before
    const head = Number(await node.upstream.request('eth_blockNumber'))
    const counts = blocks.map((_, n) => ({ method: 'eth_getBlockTransactionCountByNumber', params: [hex(head - blocks.length + 1 + n)] }))
    for (const [n, count] of (await node.upstream.batch(counts)).entries())
      if (Number(count) !== blocks[n]!.raws.length) throw new Error(`block ${n} has ${count} transactions instead of ${blocks[n]!.raws.length}`)
    return used
  } finally {
    await stopNode(node)
    await folder.remove()
  }
}
