import type { Channel } from 'amqplib'
import type { QueueSpec } from '../bus.ts'
import type { Names } from './names.ts'

/**
 * Every queue is a quorum queue and dead-letters at least once (the broker confirms to itself), which needs `reject-publish`: so no hop loses a
 * message when the broker dies. The delivery limit is always explicit, since RabbitMQ 3 has none by default and 4 has 20.
 */
const durable = { 'x-queue-type': 'quorum', 'x-dead-letter-strategy': 'at-least-once', 'x-overflow': 'reject-publish' }

/** Reading dead letters returns them to the queue, and each return counts: as good as no limit (RabbitMQ 3 knows no -1). */
const endless = 1_000_000_000

/** The exchanges and the place for dead letters. */
export async function declareExchanges(channel: Channel, names: Names): Promise<void> {
  await channel.assertExchange(names.exchange('events'), 'topic', { durable: true })
  await channel.assertExchange(names.exchange('commands'), 'topic', { durable: true })
  await channel.assertExchange(names.dead, 'fanout', { durable: true })
  await channel.assertQueue(names.dead, { durable: true, arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': endless } })
  await channel.bindQueue(names.dead, names.dead, '')
}

/** A queue with its bindings. A message that is handed out `deliveryLimit` times without an answer (its consumer died) becomes a dead letter. */
export async function declareQueue(channel: Channel, names: Names, spec: QueueSpec, deliveryLimit: number): Promise<void> {
  await channel.assertQueue(names.queue(spec.name), {
    durable: true,
    arguments: {
      ...durable,
      'x-delivery-limit': deliveryLimit,
      'x-dead-letter-exchange': names.dead,
      'x-dead-letter-routing-key': spec.name,
      ...(spec.singleActive && { 'x-single-active-consumer': true }),
    },
  })
  for (const binding of spec.bindings) await channel.bindQueue(names.queue(spec.name), names.exchange(spec.exchange), binding)
}

/**
 * The parking queues of a queue: what lies in one for `ms` goes back to the end of its queue. A consumer makes them before it starts and not when the
 * first message is parked: RabbitMQ 3.10 has been seen to lose a quorum queue whose broker is killed within a second of its creation, and that moment
 * must not come under load.
 */
export async function declareParking(channel: Channel, names: Names, queue: string, delaysMs: readonly number[]): Promise<void> {
  for (const ms of new Set(delaysMs))
    await channel.assertQueue(names.wait(queue, ms), {
      durable: true,
      arguments: {
        ...durable,
        'x-message-ttl': ms,
        'x-dead-letter-exchange': '',
        'x-dead-letter-routing-key': names.queue(queue),
      },
    })
}
