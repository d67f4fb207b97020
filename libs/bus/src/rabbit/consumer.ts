import { setTimeout as sleep } from 'node:timers/promises'
import type { Channel, ConsumeMessage, Options } from 'amqplib'
import { type BusLog, drainMs, type Handler, parkingMs, type QueueSpec, type RetryPolicy, reasonOf } from '../bus.ts'
import { settledWithin } from '../settled-within.ts'
import { type Acks, gatheredAcks } from './acks.ts'
import { closeChannel, lastingChannel } from './channel.ts'
import type { Connection } from './connection.ts'
import { attemptOf, decode, toBury, toPark } from './message.ts'
import type { Names } from './names.ts'
import type { Publisher } from './publisher.ts'
import { declareExchanges, declareParking, declareQueue } from './topology.ts'

export interface ConsumerContext {
  connection: Connection
  /** For what is parked or dead: not the one that publishes, so that a broken parking queue delays no event. */
  mover: Publisher
  names: Names
  retry: RetryPolicy
  deliveryLimit: number
  log: BusLog
}

export interface Consumer {
  /** Settles with the first attempt to consume. */
  first: Promise<void>
  /** Accepts no more messages, waits for handlers that run, closes the channel. */
  close(): Promise<void>
}

/** One channel while it lives. */
interface Lane {
  channel: Channel
  acks: Acks
  isOpen: boolean
}

const retryMs = 500

/** Consumes one queue as long as the bus lives. A failed message is copied to its parking queue (or the dead letters) and only then acknowledged. */
export function consume(spec: QueueSpec, handler: Handler, { connection, mover, names, retry, deliveryLimit, log }: ConsumerContext): Consumer {
  const running = new Set<Promise<void>>()
  let cancel: () => Promise<unknown> = async () => {}

  const lasting = lastingChannel(connection, log, async channel => {
    // On a closed channel the broker has already requeued the messages.
    const acks = gatheredAcks((message, allUpTo) => lane.isOpen && channel.ack(message, allUpTo))
    const lane: Lane = { channel, acks, isOpen: true }
    channel.once('close', () => {
      lane.isOpen = false
    })
    await declareExchanges(channel, names)
    await declareQueue(channel, names, spec, deliveryLimit)
    await declareParking(channel, names, spec.name, retry.delaysMs)
    await channel.prefetch(spec.prefetch ?? 64)
    const { consumerTag } = await channel.consume(names.queue(spec.name), message => deliver(lane, message))
    cancel = () => channel.cancel(consumerTag)
  })

  function deliver(lane: Lane, message: ConsumeMessage | null): void {
    // The broker cancels when the queue is deleted: close, so that the next channel declares it again.
    const run = (message ? handle(lane, message) : closeChannel(lane.channel)).finally(() => running.delete(run))
    running.add(run)
  }

  async function handle(lane: Lane, message: ConsumeMessage): Promise<void> {
    lane.acks.received(message)
    const attempt = attemptOf(message)
    let isBroken = true
    try {
      const event = decode(message)
      isBroken = false
      await handler(event, { attempt })
    } catch (error) {
      await parkOrBury(lane, message, { attempt, isLast: isBroken || attempt >= retry.limit, reason: reasonOf(error) })
    }
    await lane.acks.handled(message)
  }

  /** Retries until the copy is confirmed or the channel is closed: to return the message immediately would only use up its deliveries. */
  async function parkOrBury(lane: Lane, message: ConsumeMessage, failure: { attempt: number; isLast: boolean; reason: string }): Promise<void> {
    const { attempt, isLast, reason } = failure
    const about = { queue: spec.name, event: message.properties.messageId, type: message.properties.type, attempt, reason }
    while (lane.isOpen) {
      try {
        if (isLast) await send(names.dead, '', message, toBury(message, spec.name, reason, attempt))
        else await send('', names.wait(spec.name, parkingMs(retry, attempt)), message, toPark(message, attempt + 1))
        return log.warn(about, isLast ? 'message is dead' : 'message is parked')
      } catch (error) {
        log.error({ ...about, cause: reasonOf(error) }, 'a failed message could not be moved yet')
        await sleep(retryMs)
      }
    }
  }

  const send = (exchange: string, routingKey: string, { content }: ConsumeMessage, options: Options.Publish) =>
    mover.send([{ exchange, routingKey, content, options: { ...options, mandatory: true } }])

  return {
    first: lasting.first,
    async close() {
      await cancel().catch(() => {})
      await settledWithin([...running], drainMs)
      await lasting.close()
    },
  }
}
