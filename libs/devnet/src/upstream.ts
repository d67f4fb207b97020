import { WebSocket } from 'ws'

export class RpcError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Our own JSON-RPC connection to anvil. */
export type Upstream = {
  request: <T = unknown>(method: string, params?: unknown, timeoutMs?: number) => Promise<T>
  /** One JSON-RPC batch; answers in the order of the calls, refused calls as RpcError. */
  batch: (calls: { method: string; params: unknown }[]) => Promise<unknown[]>
  subscribe: (kind: string, listener: () => void) => Promise<void>
  closed: Promise<void>
  close: () => void
}

type Answer = { id?: number; method?: string; result?: unknown; error?: { code: number; message: string } }
type Waiting = { resolve: (value: unknown) => void; reject: (error: Error) => void; timer: NodeJS.Timeout }

const connectionLost = 'the connection to anvil was lost'

export const maxAnswerBytes = 2 ** 30

/** Opens a WebSocket to the anvil at `port`. Requests fail with RpcError (anvil's answer) or Error (connection lost, time over). */
export async function connectUpstream(port: number): Promise<Upstream> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { maxPayload: maxAnswerBytes, perMessageDeflate: false })
  await new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const waiting = new Map<number, Waiting>()
  const listeners: (() => void)[] = []
  let lastId = 0
  let isOpen = true

  const settle = (answer: Answer) => {
    if (answer.method === 'eth_subscription') for (const listener of listeners) listener()
    const waiter = answer.id === undefined ? undefined : waiting.get(answer.id)
    if (!waiter || answer.id === undefined) return
    waiting.delete(answer.id)
    clearTimeout(waiter.timer)
    if (answer.error) waiter.reject(new RpcError(answer.error.code, answer.error.message))
    else waiter.resolve(answer.result)
  }
  socket.on('message', data => {
    const answer = JSON.parse(data.toString()) as Answer | Answer[]
    for (const one of Array.isArray(answer) ? answer : [answer]) settle(one)
  })
  socket.on('error', () => socket.terminate())
  const closed = new Promise<void>(resolve => socket.once('close', resolve))
  socket.once('close', () => {
    isOpen = false
    for (const waiter of waiting.values()) {
      clearTimeout(waiter.timer)
      waiter.reject(new Error(connectionLost))
    }
    waiting.clear()
  })

  const prepare = (method: string, params: unknown, timeoutMs: number) => {
    if (!isOpen) throw new Error(connectionLost)
    const id = ++lastId
    const answer = new Promise<unknown>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id)
        reject(new Error(`anvil did not answer ${method} within ${timeoutMs} ms`))
      }, timeoutMs)
      waiting.set(id, { resolve, reject, timer })
    })
    return { body: { jsonrpc: '2.0', id, method, params }, answer }
  }
  // A write that fails closes the socket, and that rejects what waits.
  const send = (body: unknown) => socket.send(JSON.stringify(body), () => undefined)
  const request = async <T>(method: string, params: unknown = [], timeoutMs = 30_000) => {
    const { body, answer } = prepare(method, params, timeoutMs)
    send(body)
    return (await answer) as T
  }
  const batch = async (calls: { method: string; params: unknown }[]) => {
    if (calls.length === 0) return []
    const prepared = calls.map(call => prepare(call.method, call.params, 60_000))
    const answers = prepared.map(({ answer }) => answer.catch((error: Error) => (error instanceof RpcError ? error : Promise.reject(error))))
    send(prepared.map(({ body }) => body))
    return await Promise.all(answers)
  }
  return {
    request,
    batch,
    subscribe: async (kind, listener) => {
      listeners.push(listener)
      await request('eth_subscribe', [kind])
    },
    closed,
    close: () => socket.terminate(),
  }
}
