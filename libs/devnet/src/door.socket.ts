import { type RawData, WebSocket } from 'ws'
import type { Chain } from './chain.ts'
import { errorAnswer, readMessage, serve, writesOf } from './message.ts'
import { maxAnswerBytes } from './upstream.ts'

const maxQueuedMessages = 256
const maxUnreadBytes = 64 * 1024 * 1024
const maxWatchedWrites = 10_000

/**
 * Joins a client's WebSocket to an anvil WebSocket of its own, so that subscriptions work. Messages go on in the order they came;
 * those with transactions wait for the journal. The client is closed with 1012 when anvil ends: it connects and subscribes again.
 */
export function bridge(chain: Chain, client: WebSocket, isForeign: boolean): void {
  const upstream = chain.ready().then(() => openUpstream(chain, client, writes))
  upstream.catch(() => client.close(1013, 'the devnet is not ready'))
  /** Transactions whose answer was not seen yet, by call id: an error answer means that the journal must forget them. */
  const writes = new Map<string, string>()
  let last: Promise<void> = Promise.resolve()
  let queued = 0

  client.on('error', () => client.terminate())
  client.on('close', () => void upstream.then(socket => socket.terminate()).catch(() => undefined))
  client.on('message', data => {
    if (++queued === maxQueuedMessages) client.pause()
    const handled = acceptMessage(data)
    last = last
      .then(handled)
      .catch((error: Error) => send(client, errorAnswer(null, error)))
      .finally(() => {
        if (queued-- === maxQueuedMessages) client.resume()
      })
  })

  /** Journals immediately, in order of arrival; the function it returns forwards or answers, and is called in that order. */
  const acceptMessage = (data: RawData): (() => Promise<void>) => {
    const text = toBuffer(data)
    const message = readMessage(text, isForeign)
    if (message.kind === 'malformed') return async () => send(client, message.answer)
    const transactions = writesOf(message)
    const recorded = chain.record(transactions)
    recorded.catch(() => undefined)
    return async () => {
      await recorded
      if (message.kind === 'serve') {
        const answer = await serve(chain, message)
        return answer === undefined ? undefined : send(client, answer)
      }
      for (const { id, hash } of transactions) watch(writes, JSON.stringify(id ?? null), hash)
      const socket = await upstream
      if (socket.readyState === WebSocket.OPEN) socket.send(text, { binary: false })
    }
  }
}

async function openUpstream(chain: Chain, client: WebSocket, writes: Map<string, string>): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${chain.port()}`, { maxPayload: maxAnswerBytes, perMessageDeflate: false })
  await new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.on('error', () => socket.terminate())
  socket.on('close', () => client.close(1012, 'the devnet restarts'))
  socket.on('message', data => {
    const text = toBuffer(data)
    if (writes.size > 0 && text.includes('"error"')) chain.refused(refusedWrites(text.toString(), writes))
    send(client, text)
  })
  if (client.readyState !== WebSocket.OPEN) socket.terminate()
  return socket
}

function send(client: WebSocket, text: string | Buffer): void {
  if (client.readyState !== WebSocket.OPEN) return
  client.send(text, { binary: false })
  if (client.bufferedAmount > maxUnreadBytes) client.terminate()
}

function watch(writes: Map<string, string>, id: string, hash: string): void {
  writes.set(id, hash)
  if (writes.size <= maxWatchedWrites) return
  const [oldest] = writes.keys()
  if (oldest !== undefined) writes.delete(oldest)
}

function refusedWrites(text: string, writes: Map<string, string>): string[] {
  const parsed = JSON.parse(text) as { id?: unknown; error?: unknown } | { id?: unknown; error?: unknown }[]
  const failed = (Array.isArray(parsed) ? parsed : [parsed]).filter(answer => answer.error !== undefined)
  return failed.map(({ id }) => writes.get(JSON.stringify(id ?? null))).filter(hash => hash !== undefined)
}

function toBuffer(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data)
  return Buffer.isBuffer(data) ? data : Buffer.from(data)
}
