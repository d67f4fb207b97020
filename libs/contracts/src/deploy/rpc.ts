/** A node: its HTTP address, or a function that makes one call. */
export type Node = string | ((method: string, params: unknown[]) => Promise<unknown>)

/** A JSON-RPC call: method and parameters. */
export type Call = readonly [method: string, ...params: unknown[]]

interface Answer {
  id: number
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}

/** A node's refusal; `data` is what a reverted call returned. */
class RpcError extends Error {
  readonly data: unknown

  constructor(method: string, message: string, data: unknown) {
    super(`${method}: ${message}`)
    this.data = data
  }
}

const timeoutMs = 30_000

/**
 * Sends calls as one ordered batch and gives their results in that order.
 * @throws RpcError with the node's message of the first call that failed; the URL is not in it, since it may hold a key.
 */
export async function callAll(node: Node, calls: readonly Call[]): Promise<unknown[]> {
  if (calls.length === 0) return []
  if (typeof node === 'function') return inOrder(node, calls)
  const body = JSON.stringify(calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params })))
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal: AbortSignal.timeout(timeoutMs) }
  const response = await fetch(node, request)
  const answers = (await response.json()) as Answer[] | Answer
  if (!Array.isArray(answers)) throw new Error(`the node refused the batch: ${answers.error?.message ?? response.status}`)
  return calls.map(([method], id) => {
    const answer = answers.find(a => a.id === id)
    if (!answer || answer.error) throw new RpcError(method, answer?.error?.message ?? 'no answer', answer?.error?.data)
    return answer.result
  })
}

/** One call. */
export async function call<T>(node: Node, ...request: Call): Promise<T> {
  const [result] = await callAll(node, [request])
  return result as T
}

async function inOrder(node: Exclude<Node, string>, calls: readonly Call[]): Promise<unknown[]> {
  const results: unknown[] = []
  for (const [method, ...params] of calls) results.push(await node(method, params))
  return results
}
