import './keccak.ts'
import { keccak256 } from 'ethers'
import type { WatchedLog } from './network.ts'
import { type Header, numberOf, type Receipt } from './reader.ts'

/** Fields of a header that sum up the receipts of its block. */
export const headerFields = ['gasUsed', 'logsBloom'] as const
export type HeaderField = (typeof headerFields)[number]

/** Whether a field fits the receipts, and whether that proves anything: an empty block has nothing to compare with. */
const comparisons: Record<HeaderField, (header: Header, receipts: readonly Receipt[]) => { fits: boolean; says: boolean }> = {
  gasUsed: ({ gasUsed }, receipts) => {
    const sum = receipts.reduce((total, receipt) => total + numberOf(receipt.gasUsed), 0)
    return { fits: gasUsed === undefined || numberOf(gasUsed) === sum, says: gasUsed !== undefined && sum > 0 }
  },
  logsBloom: ({ logsBloom }, receipts) => {
    const logs = receipts.flatMap(receipt => receipt.logs)
    return { fits: logsBloom === undefined || BigInt(logsBloom) === bloomOf(logs), says: logsBloom !== undefined && logs.length > 0 }
  },
}
const reasons: Record<HeaderField, string> = {
  gasUsed: 'has used other gas than its receipts say',
  logsBloom: 'has other logs than its receipts show',
}

/**
 * What in a block's receipts cannot be true by its header; undefined when they fit. A node of a balanced group, or one that has just been
 * restarted, may leave receipts or logs out without an error.
 * @param unchecked fields that the network's node fills in another way
 */
export function contradiction(header: Header, receipts: readonly Receipt[], unchecked?: ReadonlySet<HeaderField>): string | undefined {
  if (receipts.some(receipt => receipt.blockHash !== header.hash)) return 'has receipts of another block'
  const wrong = contradicted(header, receipts).find(field => !unchecked?.has(field))
  return wrong && reasons[wrong]
}

/** The fields that do not fit the receipts. */
export const contradicted = (header: Header, receipts: readonly Receipt[]): HeaderField[] =>
  headerFields.filter(field => !comparisons[field](header, receipts).fits)

/** The fields that prove to be filled as in Ethereum: they fit receipts that have something to compare with. */
export const proven = (header: Header, receipts: readonly Receipt[]): HeaderField[] =>
  headerFields.filter(field => Object.values(comparisons[field](header, receipts)).every(Boolean))

/** Whether a block may hold watched logs by its bloom; 'unknown' when the field is missing, empty or filled in another way. */
export function bloomMatch({ logsBloom }: Header, watched: readonly WatchedLog[], unchecked: ReadonlySet<HeaderField>): 'match' | 'none' | 'unknown' {
  const bloom = logsBloom === undefined || unchecked.has('logsBloom') ? 0n : BigInt(logsBloom)
  if (bloom === 0n) return 'unknown'
  const isIn = (bits: bigint) => (bloom & bits) === bits
  return watched.some(({ address, topic }) => isIn(bitsOf(address)) && isIn(bitsOf(topic))) ? 'match' : 'none'
}

/** The bloom filter of the yellow paper: three bits of the 2048 for each address and topic. */
function bloomOf(logs: Receipt['logs']): bigint {
  const seen = new Set<string>()
  let bloom = 0n
  for (const { address, topics } of logs) {
    for (const item of [address, ...topics]) {
      if (seen.has(item)) continue
      seen.add(item)
      bloom |= bitsOf(item)
    }
  }
  return bloom
}

const numbers = new Map<string, bigint>()
const maxKnown = 20_000
function bitsOf(item: string): bigint {
  const found = numbers.get(item)
  if (found !== undefined) return found
  const hash = keccak256(item)
  let bits = 0n
  for (const at of [2, 6, 10]) bits |= 1n << BigInt(Number.parseInt(hash.slice(at, at + 4), 16) & 0x7ff)
  if (numbers.size >= maxKnown) numbers.clear()
  numbers.set(item, bits)
  return bits
}
