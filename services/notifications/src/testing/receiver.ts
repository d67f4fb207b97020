import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  headers: IncomingHttpHeaders
  body: string
}

/** Somebody who receives webhooks. */
export interface Receiver {
  url: string
  received: Received[]
  /** What the next deliveries are answered with; then 200. */
  answers: number[]
  /** Done before the next ones are answered. */
  onReceived: () => unknown
  /** Answers nothing any more. */
  stall(): void
  /** How many requests it has had open at the same time since then. */
  mostOpen(): number
  close(): void
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const answers: number[] = []
  let isStalled = false
  let [open, mostOpen] = [0, 0]
  const stall = () => {
    isStalled = true
  }
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const part of request) body += part
    received.push({ headers: request.headers, body })
    await receiver.onReceived()
    if (isStalled) {
      mostOpen = Math.max(mostOpen, ++open)
      response.on('close', () => open--)
      return
    }
    response.writeHead(answers.shift() ?? 200, { location: '/elsewhere' }).end()
  }
  const server = createServer((request, response) => void receive(request, response).catch(() => response.destroy())).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const receiver: Receiver = { url, received, answers, onReceived: () => undefined, stall, mostOpen: () => mostOpen, close }
  return receiver
}
