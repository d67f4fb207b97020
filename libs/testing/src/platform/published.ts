import { cloudEvent, type Draft } from '@carapace/api'
import type { Outgoing } from '@carapace/bus'
import { v7 } from 'uuid'

/** A draft as its declared producer would publish it. @example await bus.publish([published(gigAssigned.of(facts), 2)]) */
export function published(draft: Draft, aggregateversion = 1, time = new Date()): Outgoing {
  const source = `/carapace/${draft.type.slice(0, draft.type.indexOf('.'))}`
  const event = cloudEvent(draft, { id: v7(), source, time: time.toISOString(), aggregateversion })
  return { exchange: draft.exchange, routingKey: draft.routingKey, event }
}
