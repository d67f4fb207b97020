import type { AddressInfo } from 'node:net'
import WebSocket, { WebSocketServer } from 'ws'
import { type Exchange, newExchange, newMemory } from './faulty-exchange.ts'

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
  /** Each answer comes so many ms later. */
  delayMs: number
  /** Share of calls that are refused as by a node in trouble; they do not reach it. */
  refuse: number
  /** Share of answers that do not come back; the call has had its effect. */
  lose: number
  /** The head is so many blocks below the last one that the client has seen, and neither moves nor sees a reorganisation. */
  staleBy: number | undefined
  /** Share of logs that are left out of answers about logs: 1 leaves none. */
  hideLogs: number
  /** Receipts are given one by one only, as by nodes of other kinds. */
  noBlockReceipts: boolean
  /** Blocks are known, their receipts are not yet. */
  hideReceipts: boolean
  /** What is added to a count of transactions. */
  nonceOffset: number
  /** Headers have neither gas nor bloom of their receipts, as on networks whose nodes fill these fields in another way. */
  plainHeaders: boolean
}

export interface FaultyNode {
  /** ws:// */
  url: string
  faults: Faults
  swallowed: number
  /** All is well again. */
  heal(): void
  close(): Promise<void>
}

export const noFaults: Faults = {
  ...{ down: false, muteSends: false, swallow: 0, reverse: false, muteHeads: false, delayMs: 0, refuse: 0, lose: 0 },
  ...{ staleBy: undefined, hideLogs: 0, noBlockReceipts: false, hideReceipts: false, nonceOffset: 0, plainHeaders: false },
}

/** A JSON-RPC WebSocket in front of a devnet that can be told to fail in the ways of public nodes. */
export async function startFaultyNode(upstreamUrl: string, random: () => number): Promise<FaultyNode> {
  const faults: Faults = { ...noFaults }
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false, verifyClient: () => !faults.down })
  await new Promise(resolve => server.once('listening', resolve))
  const node: FaultyNode = {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: new Proxy(faults, {
      set: (target, name: keyof Faults, value) => {
        Object.assign(target, { [name]: value })
        if (target.down) for (const client of server.clients) client.terminate()
        return true
      },
    }),
    swallowed: 0,
    heal: () => void Object.assign(faults, noFaults),
    close: async () => {
      for (const client of server.clients) client.terminate()
      await new Promise(resolve => server.close(resolve))
    },
  }
  const parts = { faults, random, memory: newMemory(), onSwallowed: () => node.swallowed++ }
  server.on('connection', client => join(client, new WebSocket(upstreamUrl, { perMessageDeflate: false }), newExchange(parts), faults))
  return node
}

function join(client: WebSocket, upstream: WebSocket, exchange: Exchange, faults: Faults): void {
  const early: string[] = []
  const forward = (text: string) => (upstream.readyState === WebSocket.OPEN ? upstream.send(text) : early.push(text))
  /** Answers keep their order, however long each is held back. */
  let last: Promise<unknown> = Promise.resolve()
  const answer = (text: string) => {
    const send = () => client.readyState === WebSocket.OPEN && client.send(text)
    if (faults.delayMs === 0 && last === idle) return void send()
    const due = new Promise(resolve => setTimeout(resolve, faults.delayMs))
    const mine = last.then(() => due).then(send)
    last = mine.finally(() => {
      if (last === mine) last = idle
    })
  }
  const idle = last
  upstream.on('open', () => {
    for (const text of early.splice(0)) upstream.send(text)
  })
  upstream.on('message', data => {
    const text = exchange.answered(String(data))
    if (text !== undefined) answer(text)
  })
  client.on('message', data => {
    const { passed, answers } = exchange.called(String(data))
    for (const text of answers) answer(text)
    if (passed !== undefined) forward(passed)
  })
  const end = () => {
    client.terminate()
    upstream.terminate()
  }
  for (const socket of [client, upstream]) socket.on('close', end).on('error', end)
}
