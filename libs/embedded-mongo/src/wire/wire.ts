import { chmodSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { encode } from '../bson/raw.ts'
import { MongoError } from '../values/errors.ts'
import { buildReply, type Message, messageLength, parseMessage } from './message.ts'

/** One client connection as the commands see it. */
export interface Connection {
  id: number
  /** The address that the client used: the driver drops a server that calls itself something else. */
  address: string
  /** Where the client itself is. */
  peer: string
  appName: string | undefined
  close(): void
  isClosed(): boolean
}

/** Answers one command with a whole reply message; undefined means that the connection is to be cut without an answer. */
export type Answer = (connection: Connection, message: Message) => Buffer | undefined | Promise<Buffer | undefined>

export interface Listener {
  /** Connection string for the stock driver. */
  uri: string
  connections(): number
  close(): Promise<void>
}

export interface Address {
  port?: number
  host?: string
  socket?: string
}

/** While a client does not read its replies, the server reads no more of its commands. */
const maxUnreadBytes = 32 * 1024 * 1024

/** Listens for drivers on a port of loopback (or `host`), or on a Unix socket that only its owner can open. */
export async function listen(at: Address, answer: Answer, onClosed: (connection: Connection) => void): Promise<Listener> {
  const open = new Set<Socket>()
  let lastId = 0
  const server = createServer({ noDelay: true }, socket => {
    open.add(socket)
    lastId += 1
    const connection = serve(socket, lastId, at.socket ?? `${socket.localAddress ?? '127.0.0.1'}:${socket.localPort ?? 0}`, answer)
    socket.once('close', () => {
      open.delete(socket)
      onClosed(connection)
    })
  })
  await bind(server, at)
  return {
    uri: uriOf(server, at),
    connections: () => open.size,
    close: async () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

async function bind(server: Server, at: Address): Promise<void> {
  if (at.socket !== undefined) await removeDeadSocket(at.socket)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    const ready = () => {
      server.off('error', reject)
      resolve()
    }
    if (at.socket === undefined) server.listen(at.port ?? 0, at.host ?? '127.0.0.1', ready)
    else withPrivateMask(() => server.listen(at.socket, ready))
  })
  if (at.socket !== undefined) chmodSync(at.socket, 0o600)
}

/** The socket must never be open to others, not even between bind and chmod. */
function withPrivateMask(action: () => void): void {
  const previous = process.umask(0o177)
  try {
    action()
  } finally {
    process.umask(previous)
  }
}

/** A socket file without a listener is left over from a killed engine. */
async function removeDeadSocket(path: string): Promise<void> {
  const isDead = await new Promise<boolean>(resolve => {
    const probe = connect(path)
    probe.once('connect', () => {
      probe.destroy()
      resolve(false)
    })
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'))
  })
  if (isDead) await rm(path, { force: true })
}

function uriOf(server: Server, at: Address): string {
  if (at.socket !== undefined) return `mongodb://${encodeURIComponent(at.socket)}/`
  const { address, family, port } = server.address() as AddressInfo
  const host = address === '::' || address === '0.0.0.0' ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address
  return `mongodb://${host}:${port}/`
}

/** Cuts the byte stream into messages and answers them one after the other, in the order in which they came. */
function serve(socket: Socket, id: number, address: string, answer: Answer): Connection {
  const peer = socket.remotePort === undefined ? address : `${socket.remoteAddress}:${socket.remotePort}`
  const connection: Connection = { id, address, peer, appName: undefined, close: () => socket.destroy(), isClosed: () => socket.destroyed }
  let chunks: Buffer[] = []
  let buffered = 0
  let isBusy = false

  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    buffered += chunk.length
    if (!isBusy) advance()
    else if (buffered > maxUnreadBytes) socket.pause()
  })
  socket.on('drain', () => {
    if (!isBusy) advance()
  })
  socket.on('error', () => socket.destroy())

  function advance(): void {
    isBusy = true
    try {
      while (!socket.destroyed && socket.writableLength <= maxUnreadBytes) {
        const packet = nextMessage()
        if (!packet) break
        const message = readMessage(packet)
        if (!message) continue
        const reply = answer(connection, message)
        if (reply instanceof Promise) {
          reply.then(
            packet => {
              send(message, packet)
              advance()
              if (!isBusy && socket.isPaused()) socket.resume()
            },
            () => socket.destroy(),
          )
          return
        }
        send(message, reply)
      }
    } catch {
      socket.destroy()
    }
    isBusy = false
  }

  function nextMessage(): Buffer | undefined {
    if (buffered < 4) return undefined
    if (chunks.length > 1 && chunks[0]!.length < 4) chunks = [Buffer.concat(chunks)]
    const length = messageLength(chunks[0]!)!
    if (buffered < length) return undefined
    const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    chunks = whole.length > length ? [whole.subarray(length)] : []
    buffered -= length
    return whole.subarray(0, length)
  }

  /** Bad BSON gets an error reply, since the next message can still be found; a bad frame ends the connection. */
  function readMessage(packet: Buffer): Message | undefined {
    try {
      return parseMessage(packet)
    } catch (error) {
      if (!(error instanceof MongoError) || error.code === 17) throw error
      const reply = { ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName }
      socket.write(buildReply({ requestId: packet.readInt32LE(4), isLegacy: false }, encode(reply)))
      return undefined
    }
  }

  function send(message: Message, reply: Buffer | undefined): void {
    if (message.isUnacknowledged || socket.destroyed) return
    if (reply) socket.write(reply)
    else socket.destroy()
  }

  return connection
}
