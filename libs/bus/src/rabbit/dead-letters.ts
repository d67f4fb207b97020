import { setTimeout as sleep } from 'node:timers/promises'
import { type ChannelModel, type ConfirmChannel, connect, type GetMessage } from 'amqplib'
import { type DeadLetter, Unroutable } from '../bus.ts'
import { readDead, toReplay } from './message.ts'
import type { Names } from './names.ts'
import { declareExchanges } from './topology.ts'

const lockMs = 10_000
const lockAgainMs = 50

/** Dead letters of all queues, oldest first. They stay in their queue. */
export function listDead(url: string, names: Names, limit: number): Promise<DeadLetter[]> {
  return withDeadLetters(url, names, async (_channel, next) => {
    const found: DeadLetter[] = []
    while (found.length < limit) {
      const message = await next()
      if (!message) break
      found.push(readDead(message, names))
    }
    return found
  })
}

/** Sends the dead letters with that id to their queues again. @throws Unroutable when such a queue no longer exists; the message then stays dead. */
export function replayDead(url: string, names: Names, id: string, queue?: string): Promise<boolean> {
  return withDeadLetters(url, names, async (channel, next) => {
    const replayed = new Set<string>()
    for (let message = await next(); message; message = await next()) {
      const deadLetter = readDead(message, names)
      if (deadLetter.id !== id || (queue !== undefined && deadLetter.queue !== queue)) continue
      // A crash between the copy and the acknowledgement leaves the message twice; one copy back is enough.
      if (!replayed.has(deadLetter.queue)) await sendBack(channel, names.queue(deadLetter.queue), message)
      replayed.add(deadLetter.queue)
      channel.ack(message)
    }
    return replayed.size > 0
  })
}

/**
 * Reads the dead letters on a connection of its own; what is not acknowledged returns when it closes. An exclusive queue serves as the lock:
 * two concurrent readers would hide messages from each other.
 */
async function withDeadLetters<T>(
  url: string,
  names: Names,
  read: (channel: ConfirmChannel, next: () => Promise<GetMessage | false>) => Promise<T>,
): Promise<T> {
  const connection = await connect(url, { noDelay: true })
  connection.on('error', () => {})
  try {
    await lock(connection, names)
    const channel = await connection.createConfirmChannel()
    channel.on('error', () => {})
    await declareExchanges(channel, names)
    return await read(channel, () => channel.get(names.dead))
  } finally {
    await connection.close().catch(() => {})
  }
}

async function lock(connection: ChannelModel, names: Names): Promise<void> {
  const deadline = Date.now() + lockMs
  for (;;) {
    const channel = await connection.createChannel()
    channel.on('error', () => {})
    try {
      await channel.assertQueue(names.deadLock, { exclusive: true, durable: false })
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
      await sleep(lockAgainMs)
    }
  }
}

async function sendBack(channel: ConfirmChannel, queue: string, message: GetMessage): Promise<void> {
  let wasReturned = false
  channel.once('return', () => {
    wasReturned = true
  })
  channel.sendToQueue(queue, message.content, { ...toReplay(message), mandatory: true })
  await channel.waitForConfirms()
  channel.removeAllListeners('return')
  if (wasReturned) throw new Unroutable(queue)
}
