import { id } from 'ethers'
import { contractInterface } from './abi.ts'
import type { Addresses } from './contract-names.ts'
import type { EncodedCall } from './encode.ts'
import type { RawLog } from './logs.ts'
import { bytesTail, uintWord } from './words.ts'

/** One call inside a Batcher transaction. */
export interface BatchCall extends EncodedCall {
  /** bytes32; the Batcher never runs an id again that succeeded. */
  id: string
  gas: bigint
}
export interface BatchResult {
  id: string
  outcome: 'ok' | 'failed' | 'skipped'
  /** Return or revert data, at most 512 bytes. */
  ret: string
  /** Logs that the call emitted. */
  logs: readonly RawLog[]
}

/** What the Batcher itself needs around a call, besides what it must hold back (1/64). */
const overhead = 50_000n
const intrinsic = 60_000n

/** An operation's id inside the Batcher: the same for all its rounds, so that it can have its effect only once. */
export const batchId = (opKey: string): string => id(opKey)

/** Calldata and gas limit of a Batcher transaction that can never run a call with less gas than it was given. */
export function encodeBatch(calls: readonly BatchCall[], addresses: Addresses): EncodedCall & { gasLimit: number } {
  const data = encodeRun(calls)
  const stipends = calls.reduce((sum, call) => sum + (call.gas * 64n) / 63n + overhead, 0n)
  return { to: addresses.Batcher, data, gasLimit: Number(intrinsic + stipends) + 40 * (data.length / 2) }
}

let selectorOfRun: string | undefined
function runSelector(): string {
  selectorOfRun ??= contractInterface('Batcher').getFunction('run')!.selector
  return selectorOfRun
}

/** `run((bytes32 id, address target, uint256 gas, bytes data)[])`, put together by hand: the general coder needs milliseconds for it. */
function encodeRun(calls: readonly BatchCall[]): string {
  const tuples = calls.map(
    ({ id, to, gas, data }) => id.slice(2) + to.slice(2).toLowerCase().padStart(64, '0') + uintWord(gas) + uintWord(128) + bytesTail(data),
  )
  let offset = 32 * calls.length
  const offsets = tuples.map(tuple => {
    const here = uintWord(offset)
    offset += tuple.length / 2
    return here
  })
  return runSelector() + uintWord(32) + uintWord(calls.length) + offsets.join('') + tuples.join('')
}

let topics: { result: string; skipped: string } | undefined

/** Splits the logs of a mined Batcher transaction, call by call. */
export function batchResults(logs: readonly RawLog[], batcher: string): BatchResult[] {
  const abi = contractInterface('Batcher')
  topics ??= { result: abi.getEvent('OpResult')!.topicHash, skipped: abi.getEvent('OpSkipped')!.topicHash }
  const { result, skipped } = topics
  const results: BatchResult[] = []
  let own: RawLog[] = []
  for (const log of logs) {
    const isBatcher = log.address.toLowerCase() === batcher.toLowerCase()
    if (isBatcher && log.topics[0] === result) {
      results.push({ id: log.topics[1]!, outcome: log.data.slice(65, 66) === '1' ? 'ok' : 'failed', ret: retOf(log.data), logs: own })
      own = []
    } else if (isBatcher && log.topics[0] === skipped) results.push({ id: log.topics[1]!, outcome: 'skipped', ret: '0x', logs: [] })
    else own.push(log)
  }
  return results
}

/** data = (bool ok, bytes ret): words of ok, offset, length, then the bytes. */
function retOf(data: string): string {
  const length = Number.parseInt(data.slice(2 + 128, 2 + 192), 16)
  return `0x${data.slice(2 + 192, 2 + 192 + 2 * length)}`
}
