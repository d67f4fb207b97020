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
  close(): void
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const answers: number[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const part of request) body += part
    received.push({ headers: request.headers, body })
    response.writeHead(answers.shift() ?? 200, { location: '/elsewhere' }).end()
  }
  const server = createServer((request, response) => void receive(request, response).catch(() => response.destroy())).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received, answers, close }
}
