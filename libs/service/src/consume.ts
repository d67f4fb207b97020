import { type CloudEvent, eventQueue, type ServiceApi, type ServiceName } from '@carapace/api'
import { type Bus, defaultRetry, Retry, topicMatches } from '@carapace/bus'
import { ZodError } from 'zod'
import type { Subscription } from './define.ts'
import type { Logger } from './telemetry/log.ts'
import type { Metrics } from './telemetry/metrics.ts'
import { inSpan, type SpanOf } from './telemetry/trace.ts'

/** Runs an event through a service's subscriptions. @throws what a handler threw */
export type Dispatch = (event: CloudEvent, attempt: number) => Promise<void>

/** The subscriptions of a service as one handler, with a span, a metric and a log line for each event. @param handled is called after each success */
export function dispatcher(
  subscriptions: readonly Subscription[],
  parts: { name: ServiceName; log: Logger; metrics: Metrics },
  handled: (event: CloudEvent) => void = () => undefined,
): Dispatch {
  const takersOf = takersByType(subscriptions)
  return (event, attempt) =>
    inSpan(processing(parts.name, event), event.traceparent, async trace => {
      const start = performance.now()
      const outcome = await handleAll(event, takersOf(event.type))
      parts.metrics.count('messaging.client.consumed.messages', { 'messaging.destination.name': event.type, outcome: outcome.name })
      if (outcome.error && attempt >= defaultRetry.limit) parts.metrics.count('messaging.dead.messages', { 'messaging.destination.name': event.type })
      const line = {
        trace: trace.traceId,
        event: event.type,
        id: event.id,
        subject: event.subject,
        attempt,
        ms: Math.round((performance.now() - start) * 10) / 10,
        outcome: outcome.name,
      }
      if (outcome.name === 'failed') parts.log.error({ ...line, err: outcome.error }, 'event')
      else parts.log.info({ ...line, ...(outcome.error ? { reason: String(outcome.error) } : {}) }, 'event')
      if (outcome.error) throw outcome.error
      handled(event)
    })
}

/** The span of a received message. */
export const processing = (by: ServiceName, { id, type, subject }: CloudEvent): SpanOf => ({
  by,
  name: `process ${type}`,
  kind: 'consumer',
  attributes: { 'messaging.operation.type': 'process', 'messaging.message.id': id, 'carapace.subject': subject },
})

type Consuming = Pick<ServiceApi, 'name' | 'consumes'>

/**
 * Holds a service's subscriptions to what its declaration says it consumes: its queue follows from that one.
 * @throws Error naming what only one of them has
 */
export function assertDeclared(api: Consuming, subscriptions: readonly Subscription[]): void {
  const declared = new Set(eventQueue(api).bindings)
  const subscribed = new Set(subscriptions.flatMap(({ types }) => types))
  const undeclared = [...subscribed].filter(type => !declared.has(type))
  const unread = [...declared].filter(type => !subscribed.has(type))
  const faults = [
    ...(undeclared.length > 0 ? [`subscribes to ${undeclared.join(', ')} without declaring it in \`consumes\``] : []),
    ...(unread.length > 0 ? [`declares in \`consumes\` ${unread.join(', ')} without subscribing to it`] : []),
  ]
  if (faults.length > 0) throw new Error(`${api.name} ${faults.join(' and ')}`)
}

/** Connects a service to its one queue. */
export const consume = (bus: Bus, api: Consuming, dispatch: Dispatch): Promise<{ close(): Promise<void> }> =>
  bus.subscribe(eventQueue(api), (event, { attempt }) => dispatch(event, attempt))

async function handleAll(
  event: CloudEvent,
  takers: readonly Subscription[],
): Promise<{ name: 'done' | 'unknown' | 'retry' | 'failed'; error?: unknown }> {
  // a binding that an earlier version made stays on the broker: what nobody consumes any more is acknowledged
  if (takers.length === 0) return { name: 'unknown' }
  try {
    for (const { handle } of takers) await handle(event)
    return { name: 'done' }
  } catch (error) {
    if (error instanceof Retry) return { name: 'retry', error }
    return { name: 'failed', error: error instanceof ZodError ? new Error(`${event.type} is malformed: ${error.message}`) : error }
  }
}

/** Looked up once per type: few types arrive, and a service has many subscriptions. */
function takersByType(subscriptions: readonly Subscription[]): (type: string) => readonly Subscription[] {
  const byType = new Map<string, readonly Subscription[]>()
  return type => {
    const found = byType.get(type) ?? subscriptions.filter(({ types }) => types.some(topic => topicMatches(topic, type)))
    byType.set(type, found)
    return found
  }
}
