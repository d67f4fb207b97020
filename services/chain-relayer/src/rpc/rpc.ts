export interface RpcCall {
  method: string
  params: readonly unknown[]
}
/** The node's own refusal of one call. */
export interface RpcFault {
  code: number
  message: string
  data?: unknown
}
export type RpcReply = { result: unknown } | { error: RpcFault }

/** A JSON-RPC node. A batch is answered in the order of its calls. */
export interface Rpc {
  /** @throws RpcRefused with the node's error, RpcUnavailable when there was no answer (the call may have had its effect) */
  call(method: string, params: readonly unknown[], timeoutMs?: number): Promise<unknown>
  /** One request with several calls, processed in order. @throws RpcUnavailable */
  batch(calls: readonly RpcCall[], timeoutMs?: number): Promise<RpcReply[]>
  /** Reports new block headers, where the transport can push. Subscribes again after a reconnect. */
  onHead(listener: (header: unknown) => void): void
  /** Called after each (re)connection. */
  onConnect(listener: () => void): void
  close(): Promise<void>
}

/** The node answered with an error. */
export class RpcRefused extends Error {
  readonly fault: RpcFault
  constructor(method: string, fault: RpcFault) {
    super(`${method}: ${fault.message}`)
    this.name = 'RpcRefused'
    this.fault = fault
  }
}

/** No answer: not connected, timed out, or the connection broke. The call may have had its effect. */
export class RpcUnavailable extends Error {
  constructor(reason: string) {
    super(`RPC node: ${reason}`)
    this.name = 'RpcUnavailable'
  }
}

export interface RpcOptions {
  url: string
  timeoutMs: number
}

/** Reads one reply of a batch, or throws what it holds. */
export function resultOf(method: string, reply: RpcReply | undefined): unknown {
  if (!reply) throw new RpcUnavailable(`no answer to ${method}`)
  if ('error' in reply) throw new RpcRefused(method, reply.error)
  return reply.result
}
