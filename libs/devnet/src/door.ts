import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { isForeignPage, namesThisMachine } from './caller.ts'
import type { Chain } from './chain.ts'
import { bridge } from './door.socket.ts'
import { errorAnswer, readMessage, type SignedTransaction, serve, writesOf } from './message.ts'

export const maxBodyBytes = 2 * 1024 * 1024

export type Door = { port: number; dropSockets: () => void; close: () => Promise<void> }

// Browser wallets call the published address from any page, as they may with any public RPC. What changes the chain by fiat is not served to them.
const corsHeaders = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*', 'access-control-allow-methods': 'POST, OPTIONS' }
const headers = { 'content-type': 'application/json', ...corsHeaders }

/** Listens for JSON-RPC over HTTP and WebSocket on a loopback port (0 = a free one). Throws when the port is in use. */
export async function openDoor(chain: Chain, port: number): Promise<Door> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const server = createServer((req, res) => {
    answer(chain, agent, req, res).catch((error: Error) => reply(res, 200, errorAnswer(null, error)))
  })
  const verifyClient = ({ req }: { req: IncomingMessage }) => namesThisMachine(req)
  const sockets = new WebSocketServer({ server, maxPayload: maxBodyBytes, perMessageDeflate: false, verifyClient })
  sockets.on('connection', (socket, request) => bridge(chain, socket, isForeignPage(request)))
  sockets.on('error', () => undefined)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(`port ${port} is used by another process`) : error),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  const dropSockets = () => {
    for (const socket of sockets.clients) socket.close(1012, 'the devnet restarts')
  }
  const close = async () => {
    const closed = new Promise(resolve => server.close(resolve))
    for (const socket of sockets.clients) socket.terminate()
    server.closeAllConnections()
    agent.destroy()
    await closed
  }
  return { port: (server.address() as AddressInfo).port, dropSockets, close }
}

async function answer(chain: Chain, agent: Agent, req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (!namesThisMachine(req)) return reply(res, 403, errorAnswer(null, new Error('this devnet is known under the names of this machine only')))
  if (req.method === 'OPTIONS') return void res.writeHead(204, corsHeaders).end()
  if (req.method !== 'POST') return reply(res, 405, errorAnswer(null, new Error('send JSON-RPC by POST or WebSocket')))
  const body = await readBody(req)
  if (body === undefined) return reply(res, 413, errorAnswer(null, new Error(`the request is larger than ${maxBodyBytes} bytes`)))
  const message = readMessage(body, isForeignPage(req))
  if (message.kind === 'malformed') return reply(res, 200, message.answer)
  const writes = writesOf(message)
  await chain.record(writes)
  if (message.kind === 'serve') {
    const served = await serve(chain, message)
    return served === undefined ? void res.writeHead(204, corsHeaders).end() : reply(res, 200, served)
  }
  await chain.ready()
  await forward(chain, agent, body, writes, res)
}

async function forward(chain: Chain, agent: Agent, body: Buffer, writes: SignedTransaction[], res: ServerResponse): Promise<void> {
  let upstream: IncomingMessage
  try {
    upstream = await post(chain.port(), agent, body)
  } catch (error) {
    if (writes.length > 0) throw new Error('the devnet restarts; what was sent is stored and goes on')
    // A read that met the restart is repeated once the chain serves again.
    await new Promise(resolve => setTimeout(resolve, 50))
    await chain.ready()
    upstream = await post(chain.port(), agent, body).catch(() => Promise.reject(error as Error))
  }
  if (writes.length === 0) {
    res.writeHead(200, headers)
    upstream.on('error', () => res.destroy())
    upstream.pipe(res)
    return
  }
  const chunks: Buffer[] = []
  for await (const chunk of upstream) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  if (text.includes('"error"')) chain.refused(writes.map(({ hash }) => hash))
  reply(res, 200, text)
}

function post(port: number, agent: Agent, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method: 'POST', agent, headers: { 'content-type': 'application/json', 'content-length': body.length } }
    request(options, resolve).once('error', reject).end(body)
  })
}

async function readBody(req: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length
    // The rest is read and thrown away, so that the client can read the answer.
    if (bytes <= maxBodyBytes) chunks.push(chunk)
    else if (bytes > 8 * maxBodyBytes) break
  }
  return bytes > maxBodyBytes ? undefined : Buffer.concat(chunks)
}

function reply(res: ServerResponse, status: number, body: string): void {
  if (res.headersSent || res.destroyed) return void res.destroy()
  res.writeHead(status, headers).end(body)
}
