import { type Rpc, type RpcCall, type RpcOptions, type RpcReply, RpcUnavailable, resultOf } from './rpc.ts'

/** A node at HTTP only: no pushed heads (the watchdog polls), one request at a time so that nonces stay in order. */
export function httpRpc({ url, timeoutMs }: RpcOptions): Rpc {
  let nextId = 1
  let last: Promise<unknown> = Promise.resolve()

  async function request(calls: readonly RpcCall[], limitMs: number): Promise<RpcReply[]> {
    const messages = calls.map(({ method, params }) => ({ jsonrpc: '2.0', id: nextId++, method, params }))
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(messages.length === 1 ? messages[0] : messages),
      signal: AbortSignal.timeout(limitMs),
    }).catch((error: Error) => {
      throw new RpcUnavailable(error.name === 'TimeoutError' ? 'timed out' : 'not reachable')
    })
    if (answer.status === 429 || answer.status >= 500) throw new RpcUnavailable(`status ${answer.status}`)
    const body: unknown = await answer.json().catch(() => {
      throw new RpcUnavailable('answer is not JSON')
    })
    const replies = new Map(
      (Array.isArray(body) ? body : [body]).map(part => [part?.id, part.error ? { error: part.error } : { result: part.result }]),
    )
    return messages.map(({ id }) => {
      const reply = replies.get(id) as RpcReply | undefined
      if (!reply) throw new RpcUnavailable('incomplete answer')
      return reply
    })
  }

  const inOrder = (calls: readonly RpcCall[], limitMs: number): Promise<RpcReply[]> => {
    const next = last.then(() => request(calls, limitMs))
    last = next.catch(() => undefined)
    return next
  }

  return {
    call: async (method, params, limitMs = timeoutMs) => resultOf(method, (await inOrder([{ method, params }], limitMs))[0]),
    batch: async (calls, limitMs = timeoutMs) => (calls.length === 0 ? [] : inOrder(calls, limitMs)),
    onHead: () => undefined,
    onConnect: listener => listener(),
    close: async () => undefined,
  }
}
