import WebSocket from 'ws'
import { type Rpc, type RpcCall, type RpcOptions, type RpcReply, RpcUnavailable, resultOf } from './rpc.ts'

interface Waiting {
  ids: readonly number[]
  replies: Map<number, RpcReply>
  resolve(replies: RpcReply[]): void
  reject(error: Error): void
  timer: NodeJS.Timeout
}

/** A node at a WebSocket: calls stay in order, heads are pushed, and a lost connection is opened again until it succeeds. */
export function socketRpc({ url, timeoutMs }: RpcOptions): Rpc {
  const waiting = new Map<number, Waiting>()
  const headListeners: ((header: unknown) => void)[] = []
  const connectListeners: (() => void)[] = []
  let nextId = 1
  let socket: WebSocket | undefined
  let closed = false
  let retryTimer: NodeJS.Timeout | undefined
  let retryMs = 50

  function connect(): void {
    const ws = new WebSocket(url, { maxPayload: 256 * 1024 * 1024, perMessageDeflate: false, handshakeTimeout: timeoutMs })
    ws.on('open', () => {
      socket = ws
      retryMs = 50
      if (headListeners.length) subscribe()
      for (const listener of connectListeners) listener()
    })
    ws.on('message', data => receive(String(data)))
    ws.on('error', () => ws.terminate())
    ws.on('close', () => {
      if (socket === ws) socket = undefined
      for (const entry of new Set(waiting.values())) settle(entry, new RpcUnavailable('connection lost'))
      if (closed) return
      retryTimer = setTimeout(connect, retryMs)
      retryMs = Math.min(retryMs * 2, 1_000)
    })
  }

  function subscribe(): void {
    call('eth_subscribe', ['newHeads']).catch(() => undefined)
  }

  function receive(text: string): void {
    let message: unknown
    try {
      message = JSON.parse(text)
    } catch {
      return
    }
    for (const part of Array.isArray(message) ? message : [message]) accept(part)
  }

  function accept(part: { id?: unknown; method?: string; params?: { result?: unknown }; result?: unknown; error?: never }): void {
    if (part?.method === 'eth_subscription') {
      for (const listener of headListeners) listener(part.params?.result)
      return
    }
    const entry = waiting.get(Number(part?.id))
    if (!entry) return
    entry.replies.set(Number(part.id), part.error ? { error: part.error } : { result: part.result })
    if (entry.replies.size === entry.ids.length) settle(entry)
  }

  function settle(entry: Waiting, error?: Error): void {
    clearTimeout(entry.timer)
    for (const id of entry.ids) waiting.delete(id)
    if (error) entry.reject(error)
    else entry.resolve(entry.ids.map(id => entry.replies.get(id)!))
  }

  function send(calls: readonly RpcCall[], limitMs: number): Promise<RpcReply[]> {
    const open = socket
    if (!open || open.readyState !== WebSocket.OPEN) return Promise.reject(new RpcUnavailable('not connected'))
    const messages = calls.map(({ method, params }) => ({ jsonrpc: '2.0', id: nextId++, method, params }))
    return new Promise((resolve, reject) => {
      const ids = messages.map(message => message.id)
      const entry: Waiting = {
        ids,
        replies: new Map(),
        resolve,
        reject,
        timer: setTimeout(() => settle(entry, new RpcUnavailable('timed out')), limitMs),
      }
      for (const id of ids) waiting.set(id, entry)
      open.send(JSON.stringify(messages.length === 1 ? messages[0] : messages))
    })
  }

  async function call(method: string, params: readonly unknown[], limitMs = timeoutMs): Promise<unknown> {
    return resultOf(method, (await send([{ method, params }], limitMs))[0])
  }

  connect()
  return {
    call,
    batch: async (calls, limitMs = timeoutMs) => (calls.length === 0 ? [] : send(calls, limitMs)),
    onHead: listener => {
      headListeners.push(listener)
      if (socket && headListeners.length === 1) subscribe()
    },
    onConnect: listener => {
      connectListeners.push(listener)
    },
    close: async () => {
      closed = true
      clearTimeout(retryTimer)
      socket?.terminate()
      for (const entry of new Set(waiting.values())) settle(entry, new RpcUnavailable('closed'))
    },
  }
}
