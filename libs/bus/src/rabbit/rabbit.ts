import { type Bus, type BusLog, defaultRetry, type Outgoing, type RetryPolicy } from '../bus.ts'
import { BusClosedError } from '../closed.ts'
import { openConnection } from './connection.ts'
import { type Consumer, consume } from './consumer.ts'
import { listDead, replayDead } from './dead-letters.ts'
import { declaredQueues } from './declared.ts'
import { encode } from './message.ts'
import { namesWith } from './names.ts'
import { openPublisher, type Packet } from './publisher.ts'
import { queueDepth } from './queue-depth.ts'

export interface RabbitOptions {
  /** `amqp://user:password@host:port/vhost`, or `amqps`. It is never logged. */
  url: string
  /** Names the connections, for the operator's eye. */
  service: string
  /** Put before every name on the broker. Default: nothing. */
  prefix?: string
  retry?: RetryPolicy
  /** How often a message may be handed out without an answer before it is dead. Fixed for a queue once that exists. Default 20. */
  deliveryLimit?: number
  log: BusLog
}

/**
 * The bus on RabbitMQ (3.10 and 4.x). Connects in the background, one connection to publish and one to consume, and comes back after each loss.
 * `publish` sends immediately over a sliding window of 256 unconfirmed messages; without a connection it waits 2 s for one, then rejects.
 * @example const bus = rabbitBus({ url: config.AMQP_URL, service: 'escrow', log })
 * @throws Error when the URL is none of AMQP's
 */
export function rabbitBus({ url, service, prefix = '', retry = defaultRetry, deliveryLimit = 20, log }: RabbitOptions): Bus {
  assertAmqp(url)
  const names = namesWith(prefix)
  const outgoing = openConnection(url, `carapace.${service} publish`, log)
  const incoming = openConnection(url, `carapace.${service} consume`, log)
  const declared = declaredQueues(names, deliveryLimit)
  const publisher = openPublisher(outgoing, names, log, declared)
  const mover = openPublisher(outgoing, names, log)
  const depthOf = queueDepth(outgoing)
  const consumers = new Set<Consumer>()
  let closed = false

  function assertOpen(): void {
    if (closed) throw new BusClosedError()
  }

  function packet({ exchange, routingKey, event }: Outgoing): Packet {
    const { content, options } = encode(event)
    const isDeclared = declared.expects(exchange, routingKey)
    const mandatory = isDeclared || exchange === 'commands'
    return { exchange: names.exchange(exchange), routingKey, content, options: { ...options, mandatory }, isDeclared }
  }

  return {
    inOrder: false,
    async publish(messages) {
      assertOpen()
      await publisher.send(messages.map(packet))
    },

    async declare(queues) {
      assertOpen()
      declared.add(queues)
      await publisher.prepared()
    },

    async subscribe(spec, handler) {
      assertOpen()
      const consumer = consume(spec, handler, { connection: incoming, mover, names, retry, deliveryLimit, log })
      consumers.add(consumer)
      const close = async () => {
        consumers.delete(consumer)
        await consumer.close()
      }
      try {
        await consumer.first
      } catch (error) {
        await close()
        throw error
      }
      return { close }
    },

    async waiting(queue) {
      if (!publisher.isOpen()) throw new Error('There is no connection to the broker')
      return depthOf(names.queue(queue))
    },
    deadLetters: (limit = 100) => listDead(url, names, limit),
    replay: (id, queue) => replayDead(url, names, id, queue),
    ready: () => !closed && publisher.isOpen(),

    async close() {
      if (closed) return
      closed = true
      await Promise.all([...consumers].map(consumer => consumer.close()))
      await Promise.all([publisher.close(), mover.close()])
      await Promise.all([outgoing.close(), incoming.close()])
    },
  }
}

function assertAmqp(url: string): void {
  if (!/^amqps?:\/\/[^/]/.test(url) || !URL.canParse(url))
    throw new Error('The address of the broker must look like amqp://user:password@host:5672/vhost')
}
