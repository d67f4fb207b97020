import { httpRpc } from './http.ts'
import type { Rpc, RpcOptions } from './rpc.ts'
import { socketRpc } from './socket.ts'

/** A node by the scheme of its URL: ws and wss get pushed heads, http and https are polled. */
export function openRpc(options: RpcOptions): Rpc {
  return /^wss?:/.test(options.url) ? socketRpc(options) : httpRpc(options)
}
