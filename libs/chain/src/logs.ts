import type { ChainLog } from '@carapace/api'
import type { EventFragment, ParamType } from 'ethers'
import { contractInterface } from './abi.ts'
import { type Addresses, type ContractName, contractNames, everyAddress, type Former } from './contract-names.ts'
import { toChecksum } from './keys.ts'
import { named, rawForm } from './plain.ts'

/** A log as JSON-RPC gives it. */
export interface RawLog {
  address: string
  topics: readonly string[]
  data: string
  logIndex: string
}
/** @param first the first log of the same transaction, from which positions are counted; default: the first of `logs` */
type LogDecoder = (logs: readonly RawLog[], first?: RawLog) => ChainLog[]
interface KnownEvent {
  fragment: EventFragment
  contract: ContractName
  /** How many topics its logs have. */
  topics: number
  /** Set when every parameter is one static word: read without the ABI coder, which costs a hundred times as much. */
  words: readonly { name: string; indexed: boolean; read: (word: string) => unknown }[] | undefined
}

/**
 * Decodes logs of our contracts on one network; foreign logs are left out. Made once per network.
 * @param only contract and event names that matter; default: all
 */
export function logDecoder(addresses: Addresses, only?: Readonly<Record<string, readonly string[]>>, former: Former = {}): LogDecoder {
  /** By address in lower case, then by topic. Contracts that share a topic differ in the number of indexed parameters. */
  const events = new Map<string, Map<string, KnownEvent[]>>()
  const places = contractNames.flatMap(contract =>
    everyAddress(contract, addresses, former).map(address => ({ contract, address: address.toLowerCase() })),
  )
  for (const { contract, address } of places) {
    const byTopic = events.get(address) ?? new Map<string, KnownEvent[]>()
    contractInterface(contract).forEachEvent(fragment => {
      if (only && !only[contract]?.includes(fragment.name)) return
      const topics = 1 + fragment.inputs.filter(input => input.indexed).length
      const others = byTopic.get(fragment.topicHash)?.filter(other => other.topics !== topics) ?? []
      byTopic.set(fragment.topicHash, [...others, { fragment, contract, topics, words: wordReaders(fragment.inputs) }])
    })
    events.set(address, byTopic)
  }
  return (logs, first = logs[0]) => {
    const decoded: ChainLog[] = []
    const firstIndex = Number(first?.logIndex ?? 0)
    for (const log of logs) {
      const byTopic = events.get(log.address) ?? events.get(log.address.toLowerCase())
      const found = byTopic?.get(log.topics[0] ?? '')?.find(entry => entry.topics === log.topics.length)
      if (!found) continue
      const args = found.words ? readWords(found.words, log) : readAny(found, log)
      const logIndex = Number(log.logIndex)
      const place = { address: toChecksum(log.address), logIndex, logPosition: logIndex - firstIndex }
      decoded.push({ contract: found.contract, event: found.fragment.name, args, ...place })
    }
    return decoded
  }
}

const readers: Record<string, (word: string) => unknown> = {
  address: word => toChecksum(`0x${word.slice(24)}`),
  bytes32: word => `0x${word}`,
  bool: word => word.endsWith('1'),
}
/** Most numbers fit a double exactly: those need no big integer. */
const unsigned = (word: string) => (word.startsWith('0'.repeat(51)) ? String(Number.parseInt(word, 16)) : BigInt(`0x${word}`).toString())

function wordReaders(inputs: readonly ParamType[]): KnownEvent['words'] {
  const words = inputs.map(input => ({
    name: input.name,
    indexed: input.indexed === true,
    read: /^uint\d*$/.test(input.type) ? unsigned : readers[input.type],
  }))
  return words.every((word): word is typeof word & { read: (word: string) => unknown } => word.read !== undefined) ? words : undefined
}

function readWords(words: NonNullable<KnownEvent['words']>, log: RawLog): Record<string, unknown> {
  let topic = 1
  let offset = 2
  const values: Record<string, unknown> = {}
  for (const { name, indexed, read } of words) {
    if (indexed) values[name] = read(log.topics[topic++]!.slice(2))
    else {
      values[name] = read(log.data.slice(offset, offset + 64))
      offset += 64
    }
  }
  return values
}

function readAny({ fragment, contract }: KnownEvent, log: RawLog): Record<string, unknown> {
  const raw = rawForm(fragment)
  return named(fragment.inputs, contractInterface(contract).decodeEventLog(raw, log.data, [raw.topicHash, ...log.topics.slice(1)]))
}
