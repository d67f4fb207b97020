import { interfaceOf } from '../artifact.ts'
import type { Addressed } from '../deploy/replacement.ts'
import { call, callAll } from '../deploy/rpc.ts'
import { laneRoles } from './lane-roles.ts'

interface KeyQuery {
  rpcUrl: string
  /** Of the relayer key. */
  address: string
  present: Addressed
}

interface Log {
  topics: string[]
  data: string
}

/** A refusal of fewer blocks has another reason than their number. */
const leastBlocks = 1_000

/** Ids of a timelock's operations, neither executed nor cancelled, that do nothing but grant or revoke roles of this relayer key. */
export async function pendingOperations({ rpcUrl, address, present }: KeyQuery): Promise<string[]> {
  const timelock = present.addresses.Timelock
  const contract = interfaceOf('Timelock')
  const topic = contract.getEvent('CallScheduled')!.topicHash
  const latest = Number(await call<string>(rpcUrl, 'eth_blockNumber'))
  const ours = new Set(changesOf(address))
  const found = new Map<string, boolean>()
  for (const log of await logsOf(rpcUrl, { address: timelock, topics: [topic] }, present.startBlock ?? 0, latest)) {
    const { id, data } = contract.decodeEventLog('CallScheduled', log.data, log.topics)
    found.set(id, (found.get(id) ?? true) && ours.has(data))
  }
  const ids = [...found].flatMap(([id, isOurs]) => (isOurs ? [id] : []))
  const answers = await callAll(
    rpcUrl,
    ids.map(id => ['eth_call', { to: timelock, data: contract.encodeFunctionData('isOperationPending', [id]) }, 'latest']),
  )
  return ids.filter((_, index) => Number(answers[index]) === 1)
}

/** The calls that grant or revoke one role of this address. */
const changesOf = (address: string): string[] =>
  laneRoles('devnet').flatMap(({ contract, hash }) =>
    ['grantRole', 'revokeRole'].map(fn => interfaceOf(contract).encodeFunctionData(fn, [hash, address])),
  )

/** In halves where the node refuses so many blocks in one answer. */
async function logsOf(rpcUrl: string, filter: { address: string; topics: string[] }, from: number, to: number): Promise<Log[]> {
  try {
    return await call<Log[]>(rpcUrl, 'eth_getLogs', { ...filter, fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` })
  } catch (error) {
    if (to - from < leastBlocks) throw error
    const middle = Math.floor((from + to) / 2)
    return [...(await logsOf(rpcUrl, filter, from, middle)), ...(await logsOf(rpcUrl, filter, middle + 1, to))]
  }
}
