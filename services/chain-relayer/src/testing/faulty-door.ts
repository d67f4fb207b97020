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
  /** The head stands so many blocks behind the last one that was told, and what came after it is not known. */
  staleBy: number | undefined
  /** Transactions have no receipts, blocks neither. */
  hideReceipts: boolean
  /** Receipts come without logs. */
  hideLogs: boolean
  /** Added to the count of an account's transactions. */
  nonceOffset: number
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
  params: readonly unknown[]
}
interface Part {
  id?: number
  result?: unknown
}
interface Header {
  number: string
  hash: string
}

const withoutLogs = (receipt: unknown) => ({ ...(receipt as object), logs: [] })

/** What a node that is wrong about the chain says instead of the truth. */
function liar(faults: Faults) {
  const headers = new Map<number, Header>()
  let last = 0
  const learn = (header: Header) => {
    last = Number(header.number)
    headers.set(last, header)
  }
  const isBlock = ({ method }: Call) => method === 'eth_getBlockByNumber'
  return {
    learn,
    answer: (call: Call | undefined, result: unknown): unknown => {
      if (!call) return result
      if (isBlock(call) && faults.staleBy === undefined && result) learn(result as Header)
      if (isBlock(call) && faults.staleBy !== undefined) {
        const head = last - faults.staleBy
        const asked = call.params[0] === 'latest' ? head : Number(call.params[0])
        return asked > head ? null : (headers.get(asked) ?? result)
      }
      if (call.method === 'eth_getTransactionCount') return `0x${(Number(result) + faults.nonceOffset).toString(16)}`
      if (faults.hideReceipts && call.method === 'eth_getTransactionReceipt') return null
      if (faults.hideReceipts && call.method === 'eth_getBlockReceipts') return []
      if (faults.hideLogs && call.method === 'eth_getLogs') return []
      if (faults.hideLogs && /Receipt/.test(call.method) && result) return Array.isArray(result) ? result.map(withoutLogs) : withoutLogs(result)
      return result
    },
  }
}

const truthful = { staleBy: undefined, hideReceipts: false, hideLogs: false, nonceOffset: 0 } as const

/** A JSON-RPC WebSocket in front of a devnet that can be told to fail in the ways of public nodes. */
export async function faultyDoor(upstreamUrl: string, random: () => number): Promise<FaultyDoor> {
  const faults: Faults = { down: false, muteSends: false, swallow: 0, reverse: false, muteHeads: false, ...truthful }
  const lies = liar(faults)
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
    const asked = new Map<number, Call>()
    const forward = (text: string) => (upstream.readyState === WebSocket.OPEN ? upstream.send(text) : early.push(text))
    upstream.on('open', () => {
      for (const text of early.splice(0)) upstream.send(text)
    })
    upstream.on('message', data => {
      const text = String(data)
      const message = JSON.parse(text)
      if (message.method === 'eth_subscription') {
        if (faults.muteHeads || faults.staleBy !== undefined) return
        if (message.params?.result?.number) lies.learn(message.params.result)
      }
      const answers = (Array.isArray(message) ? message : [message]).filter(part => !muted.delete(part.id)).map(truthOrNot)
      if (answers.length) client.send(JSON.stringify(Array.isArray(message) ? answers : answers[0]))
    })
    const truthOrNot = (part: Part): Part => {
      const call = asked.get(part.id ?? -1)
      asked.delete(part.id ?? -1)
      return 'result' in part ? { ...part, result: lies.answer(call, part.result) } : part
    }
    client.on('message', data => {
      const message = JSON.parse(String(data))
      const calls: Call[] = Array.isArray(message) ? message : [message]
      for (const call of calls) asked.set(call.id, call)
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
