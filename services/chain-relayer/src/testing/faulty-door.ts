import type { AddressInfo } from 'node:net'
import WebSocket, { WebSocketServer } from 'ws'

/** How the node misbehaves, changed while it runs. */
export interface Faults {
  /** No connection at all. */
  down: boolean
  /** Sends reach the node, their answers do not come back. */
  muteSends: boolean
  /** Share of sent transactions that are answered with a hash and thrown away. */
  swallow: number
  /** The order of calls in a batch of sends is turned round. */
  reverse: boolean
  /** New heads are not told. */
  muteHeads: boolean
}

export interface FaultyDoor {
  url: string
  faults: Faults
  swallowed: number
  close(): Promise<void>
}

interface Call {
  id: number
  method: string
  params: [string]
}

/** A JSON-RPC WebSocket in front of a devnet that can be told to fail in the ways of public nodes. */
export async function faultyDoor(upstreamUrl: string, random: () => number): Promise<FaultyDoor> {
  const faults: Faults = { down: false, muteSends: false, swallow: 0, reverse: false, muteHeads: false }
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', verifyClient: () => !faults.down })
  await new Promise(resolve => server.once('listening', resolve))
  const door: FaultyDoor = {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: new Proxy(faults, {
      set: (target, name: keyof Faults, value) => {
        Object.assign(target, { [name]: value })
        if (target.down) for (const client of server.clients) client.terminate()
        return true
      },
    }),
    swallowed: 0,
    close: async () => {
      for (const client of server.clients) client.terminate()
      await new Promise(resolve => server.close(resolve))
    },
  }

  server.on('connection', client => {
    const upstream = new WebSocket(upstreamUrl)
    const early: string[] = []
    const muted = new Set<number>()
    const forward = (text: string) => (upstream.readyState === WebSocket.OPEN ? upstream.send(text) : early.push(text))
    upstream.on('open', () => {
      for (const text of early.splice(0)) upstream.send(text)
    })
    upstream.on('message', data => {
      const text = String(data)
      const message = JSON.parse(text)
      if (faults.muteHeads && message.method === 'eth_subscription') return
      const answers = (Array.isArray(message) ? message : [message]).filter(part => !muted.delete(part.id))
      if (answers.length) client.send(JSON.stringify(Array.isArray(message) ? answers : answers[0]))
    })
    client.on('message', data => {
      const message = JSON.parse(String(data))
      const calls: Call[] = Array.isArray(message) ? message : [message]
      const isSend = calls[0]?.method === 'eth_sendRawTransaction'
      if (!isSend) return forward(String(data))
      const passed = calls.filter(call => !swallow(call))
      if (faults.muteSends) for (const call of passed) muted.add(call.id)
      if (passed.length) forward(JSON.stringify(faults.reverse ? passed.reverse() : passed))
    })
    const swallow = (call: Call): boolean => {
      if (random() >= faults.swallow) return false
      door.swallowed++
      client.send(JSON.stringify({ jsonrpc: '2.0', id: call.id, result: `0x${'00'.repeat(32)}` }))
      return true
    }
    const end = () => {
      client.terminate()
      upstream.terminate()
    }
    for (const socket of [client, upstream]) socket.on('close', end).on('error', end)
  })
  return door
}
