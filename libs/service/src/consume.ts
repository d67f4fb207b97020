import type { CloudEvent } from '@carapace/api'
import { type Bus, Retry } from '@carapace/bus'
import { ZodError } from 'zod'
import type { Subscription } from './define.ts'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics.ts'
import { inSpan } from './trace.ts'

/** Connects a service's subscriptions to its one queue, with a span, a metric and a log line for each event. */
export function consume(
  bus: Bus,
  service: string,
  subscriptions: readonly Subscription[],
  parts: { log: Logger; metrics: Metrics },
): Promise<{ close(): Promise<void> }> {
  const bindings = [...new Set(subscriptions.flatMap(subscription => subscription.types))]
  const matchers = subscriptions.map(subscription => ({ matches: subscription.types.map(pattern), handle: subscription.handle }))
  return bus.subscribe({ name: `carapace.${service}`, exchange: 'events', bindings }, (event, delivery) =>
    inSpan(`${event.type} process`, 'consumer', event.traceparent, async trace => {
      const start = performance.now()
      const outcome = await handleAll(event, matchers)
      parts.metrics.events.inc({ type: event.type, outcome: outcome.name })
      const line = {
        trace: trace.traceId,
        event: event.type,
        id: event.id,
        subject: event.subject,
        attempt: delivery.attempt,
        ms: Math.round((performance.now() - start) * 10) / 10,
        outcome: outcome.name,
      }
      if (outcome.name === 'failed') parts.log.error({ ...line, err: outcome.error }, 'event')
      else parts.log.info({ ...line, ...(outcome.error ? { reason: String(outcome.error) } : {}) }, 'event')
      if (outcome.error) throw outcome.error
    }),
  )
}

async function handleAll(
  event: CloudEvent,
  matchers: { matches: RegExp[]; handle: Subscription['handle'] }[],
): Promise<{ name: 'done' | 'unknown' | 'retry' | 'failed'; error?: unknown }> {
  const takers = matchers.filter(({ matches }) => matches.some(regex => regex.test(event.type)))
  // a binding that an earlier version made stays on the broker: what nobody takes any more is acknowledged
  if (takers.length === 0) return { name: 'unknown' }
  try {
    for (const { handle } of takers) await handle(event)
    return { name: 'done' }
  } catch (error) {
    if (error instanceof Retry) return { name: 'retry', error }
    return { name: 'failed', error: error instanceof ZodError ? new Error(`${event.type} is malformed: ${error.message}`) : error }
  }
}

/** An AMQP topic pattern as a regular expression. */
function pattern(topic: string): RegExp {
  const words = topic.split('.').map(word => (word === '#' ? '.*' : word === '*' ? '[^.]+' : word.replace(/[^A-Za-z0-9_-]/g, '\\$&')))
  return new RegExp(`^${words.join('\\.')}$`)
}
