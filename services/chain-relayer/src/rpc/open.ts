import WebSocket from 'ws'
import { httpRpc } from './http.ts'
import type { Rpc, RpcOptions } from './rpc.ts'
import { socketRpc } from './socket.ts'

/** A node by the scheme of its URL: ws and wss get pushed heads, http and https are polled. */
export function openRpc(options: RpcOptions): Rpc {
  return /^wss?:/.test(options.url) ? socketRpc(options) : httpRpc(options)
}

const probeMs = 2_000

/** The WebSocket address of a node that speaks both at one address (ours do), else the address as it is. */
export async function bestUrl(url: string): Promise<string> {
  if (!/^https?:/.test(url)) return url
  const socketUrl = url.replace(/^http/, 'ws')
  return new Promise(resolve => {
    const probe = new WebSocket(socketUrl, { handshakeTimeout: probeMs })
    probe.on('open', () => {
      probe.terminate()
      resolve(socketUrl)
    })
    probe.on('error', () => resolve(url))
  })
}
