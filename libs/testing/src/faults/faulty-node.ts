import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
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
  /** The order of calls in a batch of sends is reversed. */
  reverse: boolean
  /** New heads are not announced. */
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
  /** ws://, or http:// of one without WebSockets */
  url: string
  faults: Faults
  swallowed: number
  /** Without any fault. */
  heal(): void
  close(): Promise<void>
}

export const noFaults: Faults = {
  ...{ down: false, muteSends: false, swallow: 0, reverse: false, muteHeads: false, delayMs: 0, refuse: 0, lose: 0 },
  ...{ staleBy: undefined, hideLogs: 0, noBlockReceipts: false, hideReceipts: false, nonceOffset: 0, plainHeaders: false },
}

/** A JSON-RPC WebSocket in front of a devnet that can be set to fail in the ways of public nodes. */
export async function startFaultyNode(upstreamUrl: string, random: () => number): Promise<FaultyNode> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false, verifyClient: () => !node.faults.down })
  await new Promise(resolve => server.once('listening', resolve))
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  const disconnect = () => {
    for (const client of server.clients) client.terminate()
  }
  const { node, parts } = faultyNode(url, random, disconnect, () => new Promise(resolve => server.close(resolve)))
  server.on('connection', client => join(client, new WebSocket(upstreamUrl, { perMessageDeflate: false }), newExchange(parts), node.faults))
  return node
}

/** The same at HTTP only: no pushed heads. @param upstreamUrl http:// */
export async function startFaultyHttpNode(upstreamUrl: string, random: () => number): Promise<FaultyNode> {
  const server = createServer((request, response) => {
    respond(request, response, upstreamUrl, newExchange(parts), node.faults).catch(() => request.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { node, parts } = faultyNode(
    url,
    random,
    () => server.closeAllConnections(),
    () => new Promise(resolve => server.close(resolve)),
  )
  return node
}

function faultyNode(url: string, random: () => number, disconnect: () => void, close: () => Promise<unknown>) {
  const faults: Faults = { ...noFaults }
  const node: FaultyNode = {
    url,
    faults: new Proxy(faults, {
      set: (target, name: keyof Faults, value) => {
        Object.assign(target, { [name]: value })
        if (target.down) disconnect()
        return true
      },
    }),
    swallowed: 0,
    heal: () => void Object.assign(faults, noFaults),
    close: async () => {
      disconnect()
      await close()
    },
  }
  return { node, parts: { faults, random, memory: newMemory(), onSwallowed: () => node.swallowed++ } }
}

/** A lost answer leaves the request open until the client abandons it. */
async function respond(request: IncomingMessage, response: ServerResponse, upstreamUrl: string, exchange: Exchange, faults: Faults): Promise<void> {
  if (faults.down) return void request.destroy()
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  const { passed, answers } = exchange.called(body)
  const parts: unknown[] = answers.map(text => JSON.parse(text))
  if (passed !== undefined) {
    const answer = await fetch(upstreamUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body: passed })
    const text = exchange.answered(await answer.text())
    if (text !== undefined) parts.push(...[JSON.parse(text)].flat())
  }
  if (faults.delayMs > 0) await sleep(faults.delayMs)
  if (parts.length === 0) return
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(Array.isArray(JSON.parse(body)) ? parts : parts[0]))
}

function join(client: WebSocket, upstream: WebSocket, exchange: Exchange, faults: Faults): void {
  const early: string[] = []
  const forward = (text: string) => (upstream.readyState === WebSocket.OPEN ? upstream.send(text) : early.push(text))
  /** Answers stay in order, however long each is held back. */
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
