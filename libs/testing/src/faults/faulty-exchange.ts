import type { Faults } from './faulty-node.ts'

/** What becomes of the messages of one connection. */
export interface Exchange {
  /** Processes a message of the client: what goes on to the node, and what is answered in its place. */
  called(text: string): { passed: string | undefined; answers: string[] }
  /** Processes a message of the node: what the client gets of it. */
  answered(text: string): string | undefined
}

interface Call {
  id: number
  method: string
  params: unknown[]
}

interface Part {
  id?: number
  method?: string
  params?: { result?: Block }
  result?: unknown
  error?: unknown
}

const inTrouble = { code: -32603, message: 'internal error: the node is overloaded' }
const unknownMethod = { code: -32601, message: 'the method does not exist' }
const sends = 'eth_sendRawTransaction'

/** The blocks that a client was shown; one that does not move goes on showing them. */
export interface Memory {
  last: number
  blocks: Map<number, Block>
}
export const newMemory = (): Memory => ({ last: 0, blocks: new Map() })

interface Parts {
  faults: Faults
  random: () => number
  memory: Memory
  onSwallowed: () => void
}

export function newExchange({ faults, random, memory, onSwallowed }: Parts): Exchange {
  const lastBlock = () => (faults.staleBy === undefined ? Number.POSITIVE_INFINITY : memory.last - faults.staleBy)
  const remember = (block: Block | null | undefined) => {
    if (faults.staleBy !== undefined || block?.number === undefined) return
    memory.last = Number(block.number)
    memory.blocks.set(memory.last, block)
  }
  const open = new Map<number, Call>()
  const chance = (share: number) => share > 0 && random() < share
  const reply = (id: number, outcome: object) => JSON.stringify({ jsonrpc: '2.0', id, ...outcome })

  /** An answer in place of the node's; undefined lets the call pass. */
  const intercept = (call: Call): string | undefined => {
    if (chance(faults.refuse)) return reply(call.id, { error: inTrouble })
    if (call.method === 'eth_getBlockReceipts' && faults.noBlockReceipts) return reply(call.id, { error: unknownMethod })
    if (call.method !== sends || !chance(faults.swallow)) return undefined
    onSwallowed()
    return reply(call.id, { result: `0x${'00'.repeat(32)}` })
  }
  const muted = ({ method }: Call) => (method === sends && faults.muteSends) || chance(faults.lose)

  return {
    called: text => {
      const message = JSON.parse(text)
      const calls: Call[] = Array.isArray(message) ? message : [message]
      const answers: string[] = []
      const passed: Call[] = []
      for (const call of calls) {
        const answer = intercept(call)
        if (answer === undefined) passed.push(bounded(call, lastBlock()))
        else answers.push(answer)
      }
      for (const call of passed) open.set(call.id, call)
      if (passed.length === 0) return { passed: undefined, answers }
      if (faults.reverse && passed[0]!.method === sends) passed.reverse()
      return { passed: JSON.stringify(Array.isArray(message) ? passed : passed[0]), answers }
    },
    answered: text => {
      const message: Part | Part[] = JSON.parse(text)
      const passing = (Array.isArray(message) ? message : [message]).flatMap(part => {
        if (part.method === 'eth_subscription') {
          if (faults.muteHeads || faults.staleBy !== undefined) return []
          remember(part.params?.result)
          if (!faults.plainHeaders) return [part]
          return [part.params ? { ...part, params: { ...part.params, result: plain(part.params.result) } } : part]
        }
        const call = part.id === undefined ? undefined : open.get(part.id)
        if (call === undefined) return [part]
        open.delete(call.id)
        if (muted(call)) return []
        if (!('result' in part)) return [part]
        if (call.method === 'eth_getBlockByNumber') remember(part.result as Block | null)
        return [{ ...part, result: falsified(call, part.result, { faults, chance, lastBlock: lastBlock(), memory }) }]
      })
      if (passing.length === 0) return undefined
      return JSON.stringify(Array.isArray(message) ? passing : passing[0])
    },
  }
}

const hexOf = (value: number) => `0x${Math.max(0, value).toString(16)}`

/** A node that lags reads its own state, not that of the head. */
function bounded(call: Call, lastBlock: number): Call {
  if (
    lastBlock === Number.POSITIVE_INFINITY ||
    !/^eth_(getBlockByNumber|getBalance|getTransactionCount|call|getCode|getStorageAt)$/.test(call.method)
  )
    return call
  const params = call.params.map(param => {
    if (param === 'latest' || param === 'pending') return hexOf(lastBlock)
    // Final is two blocks below the head on a devnet.
    return param === 'finalized' || param === 'safe' ? hexOf(lastBlock - 2) : param
  })
  return { ...call, params }
}

/** As JSON-RPC gives it. */
interface Block {
  number: string
}
interface Receipt {
  blockNumber: string
  logs: unknown[]
}

const plain = <B>(block: B): B => (block ? { ...block, gasUsed: '0x0', logsBloom: `0x${'00'.repeat(256)}` } : block)

interface Falsifier {
  faults: Faults
  chance: (share: number) => boolean
  lastBlock: number
  memory: Memory
}

/** What the node says of a call while it misbehaves. */
function falsified(call: Call, result: unknown, { faults, chance, lastBlock, memory }: Falsifier): unknown {
  const isUnknown = (number: string | undefined) => Number(number) > lastBlock
  const without = (logs: unknown[]) => logs.filter(() => !chance(faults.hideLogs))
  const receipt = (one: Receipt | null) =>
    one === null || faults.hideReceipts || isUnknown(one.blockNumber) ? null : { ...one, logs: without(one.logs) }
  switch (call.method) {
    case 'eth_blockNumber':
      return hexOf(Math.min(Number(result), lastBlock))
    case 'eth_getBlockByNumber': {
      const number = (result as Block | null)?.number ?? (call.params[0] as string)
      if (isUnknown(number)) return null
      const block = (faults.staleBy === undefined ? undefined : memory.blocks.get(Number(number))) ?? result
      return faults.plainHeaders ? plain(block) : block
    }
    case 'eth_getBlockByHash':
      return isUnknown((result as Block | null)?.number) ? null : result
    case 'eth_getTransactionReceipt':
      return receipt(result as Receipt | null)
    case 'eth_getBlockReceipts': {
      const receipts = (result as Receipt[] | null)?.map(receipt) ?? null
      return receipts?.includes(null) ? null : receipts
    }
    case 'eth_getLogs':
      return without((result as { blockNumber: string }[]).filter(({ blockNumber }) => !isUnknown(blockNumber)))
    case 'eth_getTransactionCount':
      return hexOf(Number(result) + faults.nonceOffset)
    default:
      return result
  }
}
