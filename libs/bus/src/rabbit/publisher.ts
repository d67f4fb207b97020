import type { ConfirmChannel, Options } from 'amqplib'
import { type BusLog, drainMs, reasonOf, Unroutable } from '../bus.ts'
import { BusClosedError } from '../closed.ts'
import { settledWithin } from '../settled-within.ts'
import { isRefusal, lastingChannel } from './channel.ts'
import type { Connection } from './connection.ts'
import type { Declared } from './declared.ts'
import type { Names } from './names.ts'
import { declareExchanges } from './topology.ts'

export interface Packet {
  exchange: string
  routingKey: string
  content: Buffer
  /** With `mandatory` a message that matches no queue is refused. */
  options: Options.Publish
  /** A declared queue is bound to it. */
  isDeclared?: boolean
}

export interface Publisher {
  /** Resolves when all are confirmed, rejects when any may be lost. */
  send(packets: readonly Packet[]): Promise<void>
  isOpen(): boolean
  /** Resolves when all declared queues exist; nothing is sent meanwhile. @throws what the broker refused one with, Error when this is closed first */
  prepared(): Promise<void>
  /** Waits for what is on its way. */
  close(): Promise<void>
}

interface Send {
  unconfirmed: number
  resolve(): void
  reject(error: unknown): void
}

/** One channel while it lives. */
interface Lane {
  channel: ConfirmChannel
  isOpen: boolean
  /** What was sent and is not confirmed, oldest first. */
  inFlight: Set<{ send: Send; sentAt: number }>
  /** How many copies of a mandatory message came back; the broker returns them before it confirms. */
  returned: Map<string, number>
  /** Of the declared queues, as made on this channel. */
  version: number
}

/** Messages sent and not yet confirmed, at most. */
const windowSize = 256
/** How long a send waits for a connection that is just coming up. */
const connectionMs = 2_000
/** How long a message may stay unconfirmed. */
const confirmMs = 10_000
const stallCheckMs = 1_000

/** Sends with confirms over a sliding window, in order. What is unconfirmed when the connection breaks is rejected, never repeated here. */
export function openPublisher(connection: Connection, names: Names, log: BusLog, declared?: Declared): Publisher {
  const waiting: { packet: Packet; send: Send }[] = []
  const sends = new Set<Promise<void>>()
  const wakeUps = new Set<() => void>()
  let lane: Lane | undefined
  let isClosed = false

  const lasting = lastingChannel(connection, log, async (channel, abandon) => {
    const fresh: Lane = { channel, isOpen: true, inFlight: new Set(), returned: new Map(), version: 0 }
    const watch = setInterval(() => isStalled(fresh) && abandonStalled(fresh, abandon), stallCheckMs)
    // Before amqplib's own listener, which fails one unconfirmed message after the other and so would let others follow on this channel.
    channel.prependListener('close', () => {
      clearInterval(watch)
      end(fresh, new Error('The connection to the broker was lost before the message was confirmed'))
    })
    channel.on('return', ({ fields, properties }) => cameBack(fresh, placeOf(fields.exchange, fields.routingKey, properties.messageId)))
    await declareExchanges(channel, names)
    await prepare(fresh)
  })

  async function prepare(fresh: Lane): Promise<void> {
    fresh.version = (await declared?.makeOn(fresh.channel)) ?? 0
    if (!fresh.isOpen) return
    lane = fresh
    for (const wake of wakeUps) wake()
    pump()
  }

  async function prepared(): Promise<void> {
    await lasting.first
    while (lane?.version !== declared?.version) {
      if (isClosed) throw new BusClosedError()
      const held = lane
      // On a channel that is being set up, or held by somebody else, the queues are made without us.
      if (!held) await new Promise<void>(resolve => wakeUps.add(wakeOnce(resolve)))
      else {
        lane = undefined
        await prepare(held).catch(error => {
          if (isRefusal(error)) throw error
        })
      }
    }
  }

  /** A wake-up that forgets itself. */
  function wakeOnce(resolve: () => void): () => void {
    const wake = () => {
      wakeUps.delete(wake)
      resolve()
    }
    return wake
  }

  /** A declared queue was lost: it is made again before anything more is sent. */
  function restore(): void {
    if (!declared || lane?.version !== declared.version) return
    log.warn({}, 'a declared queue was lost; it is made again')
    declared.lost()
    prepared().catch((error: unknown) => log.error({ reason: reasonOf(error) }, 'a declared queue could not be made again'))
  }

  /** Rejects all that is not confirmed and all that waits to follow it. */
  function end(ended: Lane, error: Error): void {
    ended.isOpen = false
    if (lane === ended) lane = undefined
    for (const { send } of ended.inFlight) send.reject(error)
    for (const { send } of waiting.splice(0)) send.reject(error)
  }

  function isStalled({ isOpen, inFlight }: Lane): boolean {
    const [oldest] = inFlight
    return isOpen && oldest !== undefined && Date.now() - oldest.sentAt >= confirmMs
  }

  /** A channel's process on the broker hangs while a quorum queue that it sends to has no leader; then it does not even answer a close. */
  function abandonStalled(stalled: Lane, abandon: () => void): void {
    log.warn({ unconfirmed: stalled.inFlight.size }, 'the broker does not confirm; the channel is replaced')
    end(stalled, new Error(`The broker did not confirm within ${confirmMs} ms`))
    abandon()
  }

  function pump(): void {
    while (lane && lane.inFlight.size < windowSize) {
      const next = waiting.shift()
      if (!next) return
      transmit(lane, next.packet, next.send)
    }
  }

  function transmit(on: Lane, packet: Packet, send: Send): void {
    const flight = { send, sentAt: Date.now() }
    const confirmed = (error: Error | null) => {
      on.inFlight.delete(flight)
      if (error) send.reject(error)
      else if (packet.options.mandatory && claimReturned(on, packet)) refuse(packet, send)
      else if (--send.unconfirmed === 0) send.resolve()
      pump()
    }
    try {
      on.channel.publish(packet.exchange, packet.routingKey, packet.content, packet.options, confirmed)
      on.inFlight.add(flight)
    } catch (error) {
      send.reject(error)
    }
  }

  function refuse({ routingKey, isDeclared }: Packet, send: Send): void {
    send.reject(new Unroutable(routingKey))
    if (isDeclared) restore()
  }

  function laneOpen(): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = wakeOnce(() => {
        clearTimeout(timer)
        resolve()
      })
      const timer = setTimeout(() => {
        wakeUps.delete(wake)
        reject(new Error('No connection to the broker'))
      }, connectionMs)
      wakeUps.add(wake)
    })
  }

  async function send(packets: readonly Packet[]): Promise<void> {
    if (packets.length === 0) return
    if (!lane) await laneOpen()
    if (isClosed) throw new BusClosedError()
    if (connection.isBlocked()) throw new Error('The broker accepts no messages at present')
    await new Promise<void>((resolve, reject) => {
      const one: Send = { unconfirmed: packets.length, resolve, reject }
      for (const packet of packets) waiting.push({ packet, send: one })
      pump()
    })
  }

  return {
    async send(packets) {
      const sent = send(packets)
      sends.add(sent)
      try {
        await sent
      } finally {
        sends.delete(sent)
      }
    },
    isOpen: () => lane !== undefined && !connection.isBlocked(),
    prepared,
    async close() {
      isClosed = true
      for (const wake of wakeUps) wake()
      await settledWithin([...sends], drainMs)
      await lasting.close()
    },
  }
}

const placeOf = (exchange: string, routingKey: string, id: unknown) => `${exchange} ${routingKey} ${id}`

function cameBack({ returned }: Lane, place: string): void {
  returned.set(place, (returned.get(place) ?? 0) + 1)
}

/** Whether a copy of it came back that no confirm has accounted for. */
function claimReturned({ returned }: Lane, { exchange, routingKey, options }: Packet): boolean {
  if (returned.size === 0) return false
  const place = placeOf(exchange, routingKey, options.messageId)
  const count = returned.get(place) ?? 0
  if (count > 1) returned.set(place, count - 1)
  else returned.delete(place)
  return count > 0
}
