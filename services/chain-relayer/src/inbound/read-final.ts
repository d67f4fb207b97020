import type { RawLog } from '@carapace/chain'
import { bloomMatch } from '../chain/consistency.ts'
import { blockOf, type Header, headersIn, hexOf, numberOf, type Receipt, receiptsOf } from '../chain/reader.ts'
import type { Lane } from '../lane/lane.ts'
import type { JudgeBlock } from './block-judge.ts'
import type { ReadBlock } from './indexer.ts'

type MinedLog = RawLog & { blockHash: string }
/** Blocks whose receipts are read in parallel: each may be some hundred kilobytes. */
const concurrency = 8

/** Headers of blocks in a row, or what contradicts them. */
export async function readHeaders(lane: Lane, from: number, to: number): Promise<Header[] | string> {
  const headers = await headersIn(lane.rpc, from, to)
  if (headers.length <= to - from) return `it has no block ${from + headers.length}`
  const unlinked = headers.findIndex((header, index) => index > 0 && header.parentHash !== headers[index - 1]!.hash)
  return unlinked > 0 ? `block ${from + unlinked} does not follow the one before` : headers
}

/**
 * Reads the receipts of final blocks that may hold watched logs: by the bloom of their header, or because the node lists such logs. A node
 * that omits logs from its lists or receipts is noticed as in blocks that are followed one by one.
 * @param headers a row without a gap
 * @param onBlocks called in order with some blocks of the row, and the last block of which everything is known then
 * @returns what contradicts the next block; undefined when all were read
 */
export async function readFinal(
  lane: Lane,
  judge: JudgeBlock,
  headers: readonly Header[],
  onBlocks: (blocks: readonly ReadBlock[], upTo: Header) => Promise<void>,
): Promise<string | undefined> {
  const [from, to] = [headers[0]!, headers.at(-1)!]
  const hashes = new Set(headers.map(header => header.hash))
  const logs = await logsIn(lane, numberOf(from.number), numberOf(to.number))
  const listed = new Set(logs.flatMap(log => (lane.network.decodeWatched([log]).length > 0 ? [log.blockHash] : [])))
  if ([...listed].some(hash => !hashes.has(hash))) return `it lists logs of other blocks than ${numberOf(from.number)} to ${numberOf(to.number)}`
  const { watchedLogs } = lane.network
  const due = headers.filter(header => listed.has(header.hash) || bloomMatch(header, watchedLogs, lane.unchecked) === 'match')
  for (let at = 0; at < due.length; at += concurrency) {
    const some = due.slice(at, at + concurrency)
    const read = await Promise.all(some.map(header => receiptsOf(lane.rpc, header, () => undefined)))
    const blocks: ReadBlock[] = []
    for (const [index, header] of some.entries()) {
      const receipts = read[index]?.found
      const wrong = fault(judge, header, receipts)
      if (wrong) return wrong
      blocks.push({ block: blockOf(header), receipts: receipts! })
    }
    await onBlocks(blocks, some.at(-1)!)
  }
  await onBlocks([], to)
  return undefined
}

function fault(judge: JudgeBlock, header: Header, receipts: readonly Receipt[] | undefined): string | undefined {
  const { number } = blockOf(header)
  if (!receipts) return `it has no receipts of block ${number}`
  const wrong = judge(header, receipts)
  return wrong && `block ${number} ${wrong}`
}

/** Logs of our contracts; a range that the node refuses is requested in halves. */
async function logsIn(lane: Lane, from: number, to: number): Promise<MinedLog[]> {
  const { addresses, former } = lane.network
  const address = [...new Set([...Object.values(addresses), ...Object.values(former).flat()])]
  try {
    return (await lane.rpc.call('eth_getLogs', [{ fromBlock: hexOf(from), toBlock: hexOf(to), address }])) as MinedLog[]
  } catch (error) {
    if (from === to) throw error
    const middle = Math.floor((from + to) / 2)
    return [...(await logsIn(lane, from, middle)), ...(await logsIn(lane, middle + 1, to))]
  }
}
