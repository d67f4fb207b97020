import { isOpenToAll } from './caller.ts'
import type { Chain } from './chain.ts'
import { treatmentOf } from './methods.ts'
import { transactionHash } from './recorder.ts'
import { RpcError } from './upstream.ts'

export type SignedTransaction = { id: unknown; hash: string; raw: string }
type Call = { id: unknown; method: string; params: unknown; transaction?: SignedTransaction }
type Item = Call | { id: unknown; fault: RpcError }

/**
 * A JSON-RPC text as the door sees it: `forward` goes to anvil unchanged (reads and signed transactions), `serve` holds something that the door
 * answers itself, so its items are run one after the other.
 */
export type Message = { kind: 'malformed'; answer: string } | { kind: 'forward'; calls: Call[] } | { kind: 'serve'; items: Item[]; isBatch: boolean }

const maxBatchItems = 1000

/** @param isForeign sent by a page of another site: it may call what a public RPC serves */
export function readMessage(text: Buffer, isForeign = false): Message {
  let parsed: unknown
  try {
    parsed = JSON.parse(text.toString('utf8'))
  } catch {
    return { kind: 'malformed', answer: errorAnswer(null, new RpcError(-32700, 'this is not JSON')) }
  }
  const isBatch = Array.isArray(parsed)
  const raw = isBatch ? (parsed as unknown[]) : [parsed]
  if (raw.length === 0) return { kind: 'malformed', answer: errorAnswer(null, new RpcError(-32600, 'the batch is empty')) }
  if (raw.length > maxBatchItems) {
    return { kind: 'malformed', answer: errorAnswer(null, new RpcError(-32600, `a batch holds at most ${maxBatchItems} calls`)) }
  }
  const items = raw.map(item => readItem(item, isForeign))
  const calls = items.filter(isForwardable)
  return calls.length === items.length ? { kind: 'forward', calls } : { kind: 'serve', items, isBatch }
}

function readItem(item: unknown, isForeign: boolean): Item {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return { id: null, fault: new RpcError(-32600, 'a call is an object') }
  const { id, method, params = [], jsonrpc } = item as Record<string, unknown>
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number') {
    return { id: null, fault: new RpcError(-32600, 'id must be a string or a number') }
  }
  if (jsonrpc !== '2.0') return { id, fault: new RpcError(-32600, 'jsonrpc must be "2.0"') }
  if (typeof method !== 'string') return { id, fault: new RpcError(-32600, 'method must be a string') }
  if (typeof params !== 'object' || params === null) return { id, fault: new RpcError(-32602, 'params must be an array or an object') }
  if (isForeign && !isOpenToAll(method)) return { id, fault: new RpcError(-32601, `${method} is not served to pages of other sites`) }
  if (treatmentOf(method) !== 'raw') return { id, method, params }
  const raw: unknown = Array.isArray(params) ? params[0] : undefined
  if (typeof raw !== 'string' || !/^0x(?:[0-9a-f]{2})+$/i.test(raw)) {
    return { id, fault: new RpcError(-32602, 'params[0] must be a signed transaction in hex') }
  }
  return { id, method, params, transaction: { id, hash: transactionHash(raw), raw } }
}

function isForwardable(item: Item): item is Call {
  if ('fault' in item) return false
  const treatment = treatmentOf(item.method)
  return treatment === 'pass' || treatment === 'raw'
}

export function writesOf(message: Message): SignedTransaction[] {
  const items = message.kind === 'forward' ? message.calls : message.kind === 'serve' ? message.items : []
  return items.map(item => ('fault' in item ? undefined : item.transaction)).filter(transaction => transaction !== undefined)
}

/** Answers item by item in their order. Undefined when only notifications came. */
export async function serve(chain: Chain, { items, isBatch }: Extract<Message, { kind: 'serve' }>): Promise<string | undefined> {
  const answers: string[] = []
  for (const item of items) {
    const answer = await answerItem(chain, item)
    if (item.id !== undefined || 'fault' in item) answers.push(answer)
  }
  if (answers.length === 0) return undefined
  return isBatch ? `[${answers.join(',')}]` : answers[0]
}

async function answerItem(chain: Chain, item: Item): Promise<string> {
  if ('fault' in item) return errorAnswer(item.id, item.fault)
  try {
    if (item.method === 'eth_subscribe') throw new RpcError(-32601, 'subscribe in a message of its own')
    return JSON.stringify({ jsonrpc: '2.0', id: item.id, result: (await chain.handle(item.method, item.params)) ?? null })
  } catch (error) {
    if (item.transaction) chain.refused([item.transaction.hash])
    return errorAnswer(item.id, error as Error)
  }
}

/** Errors without a code of their own are the node's trouble, not the caller's. */
export function errorAnswer(id: unknown, error: Error): string {
  const code = error instanceof RpcError ? error.code : -32603
  return JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message: error.message } })
}
