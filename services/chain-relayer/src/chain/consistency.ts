import '../keccak.ts'
import { keccak256 } from 'ethers'
import { type Header, numberOf } from '../chain-reader.ts'
import type { Receipt } from '../outcome.ts'

/**
 * What in a block's receipts cannot be true by its header; undefined when they fit. A node behind a balancer, or one that has just been
 * restarted, may leave receipts or logs out without an error.
 */
export function contradiction(header: Header, receipts: readonly Receipt[]): string | undefined {
  if (receipts.some(receipt => receipt.blockHash !== header.hash)) return 'has receipts of another block'
  const gasUsed = receipts.reduce((sum, receipt) => sum + numberOf(receipt.gasUsed), 0)
  if (header.gasUsed !== undefined && gasUsed !== numberOf(header.gasUsed)) return 'has used other gas than its receipts say'
  const logs = receipts.flatMap(receipt => receipt.logs)
  if (header.logsBloom !== undefined && bloomOf(logs) !== BigInt(header.logsBloom)) return 'has other logs than its receipts show'
  return undefined
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

const known = new Map<string, bigint>()
const maxKnown = 20_000
function bitsOf(item: string): bigint {
  const found = known.get(item)
  if (found !== undefined) return found
  const hash = keccak256(item)
  let bits = 0n
  for (const at of [2, 6, 10]) bits |= 1n << BigInt(Number.parseInt(hash.slice(at, at + 4), 16) & 0x7ff)
  if (known.size >= maxKnown) known.clear()
  known.set(item, bits)
  return bits
}
