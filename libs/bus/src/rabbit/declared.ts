import type { Channel } from 'amqplib'
import type { Outgoing, QueueSpec } from '../bus.ts'
import { topicMatches } from '../topic.ts'
import type { Names } from './names.ts'
import { declareQueue } from './topology.ts'

/** The queues that must exist before this process publishes. */
export interface Declared {
  /** Rises when there is something to make, or to make again. */
  readonly version: number
  add(queues: readonly QueueSpec[]): void
  /** Whether a declared queue is bound to it, so that it must not come back. */
  expects(exchange: Outgoing['exchange'], routingKey: string): boolean
  /** The broker has lost one: all are to be made again. */
  lost(): void
  /** Makes them all. Resolves to the version that was made. */
  makeOn(channel: Channel): Promise<number>
}

export function declaredQueues(names: Names, deliveryLimit: number): Declared {
  const queues = new Map<string, QueueSpec>()
  const expected = { events: new Map<string, boolean>(), commands: new Map<string, boolean>() }
  let version = 0

  const isMade = ({ name, bindings }: QueueSpec) => bindings.every(binding => queues.get(name)?.bindings.includes(binding) === true)

  return {
    get version() {
      return version
    },
    add(specs) {
      for (const spec of specs.filter(one => !isMade(one))) {
        queues.set(spec.name, { ...spec, bindings: [...new Set([...(queues.get(spec.name)?.bindings ?? []), ...spec.bindings])] })
        expected[spec.exchange].clear()
        version++
      }
    },
    expects(exchange, routingKey) {
      const wanted = expected[exchange].get(routingKey)
      if (wanted !== undefined) return wanted
      const isExpected = [...queues.values()].some(
        queue => queue.exchange === exchange && queue.bindings.some(binding => topicMatches(binding, routingKey)),
      )
      expected[exchange].set(routingKey, isExpected)
      return isExpected
    },
    lost: () => {
      version++
    },
    async makeOn(channel) {
      for (;;) {
        const wanted = version
        for (const queue of queues.values()) await declareQueue(channel, names, queue, deliveryLimit)
        if (wanted === version) return wanted
      }
    },
  }
}
