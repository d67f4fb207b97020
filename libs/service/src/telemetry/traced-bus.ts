import type { ServiceName } from '@carapace/api'
import type { Bus, Outgoing } from '@carapace/bus'
import { beginSpan, spansAreRecorded } from './trace.ts'

/** The bus of one service, with a span for each message that is handed to it: the consumers of the message continue that span. */
export function tracedBus(bus: Bus, by: ServiceName): Bus {
  return { ...bus, publish: messages => (spansAreRecorded() ? publishRecorded(bus, by, messages) : bus.publish(messages)) }
}

async function publishRecorded(bus: Bus, by: ServiceName, messages: readonly Outgoing[]): Promise<void> {
  const begun = messages.map(({ event }) =>
    beginSpan(
      {
        by,
        name: `send ${event.type}`,
        kind: 'producer',
        attributes: { 'messaging.operation.type': 'send', 'messaging.message.id': event.id, 'carapace.subject': event.subject },
      },
      event.traceparent,
    ),
  )
  const end = (failed: boolean) => {
    for (const span of begun) span?.end(failed)
  }
  const continued = messages.map((message, at) => {
    const traceparent = begun[at]?.traceparent
    return traceparent === undefined ? message : { ...message, event: { ...message.event, traceparent } }
  })
  try {
    await bus.publish(continued)
    end(false)
  } catch (error) {
    end(true)
    throw error
  }
}
