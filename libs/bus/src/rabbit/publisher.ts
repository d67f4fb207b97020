import type { ConfirmChannel, Options } from 'amqplib'
import { type BusLog, drainMs, Unroutable } from '../bus.ts'
import { settledWithin } from '../settled-within.ts'
import { keepChannel } from './channel.ts'
import type { Connection } from './connection.ts'
import type { Names } from './names.ts'
import { declareExchanges } from './topology.ts'

export interface Packet {
  exchange: string
  routingKey: string
  content: Buffer
  /** With `mandatory` a message that no queue takes is refused. */
  options: Options.Publish
}

export interface Publisher {
  /** Resolves when all are confirmed, rejects when any may not be kept. */
  send(packets: readonly Packet[]): Promise<void>
  isOpen(): boolean
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
  /** Mandatory messages that came back; the broker tells so before it confirms. */
  returned: Set<string>
}

/** Messages sent and not yet confirmed, at most. */
const windowSize = 256
/** How long a send waits for a connection that is just coming up. */
const connectionMs = 2_000
/** How long a message may stay unconfirmed. */
const confirmMs = 10_000
const stallCheckMs = 1_000

/** Sends with confirms over a sliding window, in order. What is unconfirmed when the connection breaks is rejected, never repeated here. */
export function openPublisher(connection: Connection, names: Names, log: BusLog): Publisher {
  const waiting: { packet: Packet; send: Send }[] = []
  const sends = new Set<Promise<void>>()
  const wakeUps = new Set<() => void>()
  let lane: Lane | undefined

  const kept = keepChannel(connection, log, async (channel, abandon) => {
    const fresh: Lane = { channel, isOpen: true, inFlight: new Set(), returned: new Set() }
    const watch = setInterval(() => isStalled(fresh) && giveUp(fresh, abandon), stallCheckMs)
    // Before amqplib's own listener, which fails one unconfirmed message after the other and so would let others follow on this channel.
    channel.prependListener('close', () => {
      clearInterval(watch)
      end(fresh, new Error('The connection to the broker was lost before the message was confirmed'))
    })
    channel.on('return', ({ fields, properties }) => fresh.returned.add(placeOf(fields.exchange, fields.routingKey, properties.messageId)))
    await declareExchanges(channel, names)
    if (!fresh.isOpen) return
    lane = fresh
    for (const wake of wakeUps) wake()
  })

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
  function giveUp(stalled: Lane, abandon: () => void): void {
    log.warn({ unconfirmed: stalled.inFlight.size }, 'the broker does not confirm; the channel is opened anew')
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
      else if (packet.options.mandatory && cameBack(on, packet)) send.reject(new Unroutable(packet.routingKey))
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

  function laneOpen(): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = () => {
        clearTimeout(timer)
        wakeUps.delete(wake)
        resolve()
      }
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
    if (connection.isBlocked()) throw new Error('The broker takes no messages at present')
    await new Promise<void>((resolve, reject) => {
      const one: Send = { unconfirmed: packets.length, resolve, reject }
      for (const packet of packets) waiting.push({ packet, send: one })
      pump()
    })
  }

  return {
    send(packets) {
      const sent = send(packets).finally(() => sends.delete(sent))
      sends.add(sent)
      return sent
    },
    isOpen: () => lane !== undefined && !connection.isBlocked(),
    async close() {
      await settledWithin([...sends], drainMs)
      await kept.close()
    },
  }
}

const placeOf = (exchange: string, routingKey: string, id: unknown) => `${exchange} ${routingKey} ${id}`

const cameBack = ({ returned }: Lane, { exchange, routingKey, options }: Packet) => returned.delete(placeOf(exchange, routingKey, options.messageId))
