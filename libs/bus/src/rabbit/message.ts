import type { CloudEvent } from '@carapace/api'
import type { Message, Options } from 'amqplib'
import type { DeadLetter } from '../bus.ts'
import type { Names } from './names.ts'

/** Headers of our own. They are set again on every hop, so that nothing of the broker's own death history is carried along. */
const header = {
  /** On a parked message: which attempt comes next. */
  attempt: 'x-carapace-attempt',
  queue: 'x-carapace-queue',
  reason: 'x-carapace-reason',
  attempts: 'x-carapace-attempts',
  deadAt: 'x-carapace-dead-at',
}

const contentType = 'application/cloudevents+json'

/** A CloudEvent in structured mode. */
export function encode(event: CloudEvent): { content: Buffer; options: Options.Publish } {
  return {
    content: Buffer.from(JSON.stringify(event)),
    options: {
      persistent: true,
      contentType,
      messageId: event.id,
      type: event.type,
      timestamp: Math.floor(Date.parse(event.time) / 1000) || 0,
      ...(event.traceparent !== undefined && { headers: { traceparent: event.traceparent } }),
    },
  }
}

/** @throws Error when the content is no CloudEvent, with a text that can be the reason of a dead letter. */
export function decode(message: Message): CloudEvent {
  const event: unknown = JSON.parse(message.content.toString())
  if (typeof event === 'object' && event !== null && 'id' in event && 'type' in event && typeof event.id === 'string') return event as CloudEvent
  throw new Error('The content is not a CloudEvent')
}

/** Which attempt this delivery is, from 1. */
export const attemptOf = (message: Message): number => numberIn(message, header.attempt) || 1

/** The same message, to be parked. */
export const toPark = (message: Message, nextAttempt: number): Options.Publish => again(message, { [header.attempt]: nextAttempt })

/** The same message as a dead letter. */
export const toBury = (message: Message, queue: string, reason: string, attempts: number): Options.Publish =>
  again(message, { [header.queue]: queue, [header.reason]: reason, [header.attempts]: attempts, [header.deadAt]: new Date().toISOString() })

/** The same message for a fresh start. */
export const toReplay = (message: Message): Options.Publish => again(message, {})

/** The content of a message in the queue of dead letters; those that the broker itself put there (delivery limit) carry `x-death`. */
export function readDead(message: Message, names: Names): DeadLetter {
  const event = eventOr(message)
  const headers = message.properties.headers ?? {}
  const death = headers['x-death']?.[0]
  return {
    id: event.id,
    queue: String(headers[header.queue] ?? names.plain(death?.queue ?? '')),
    type: event.type,
    subject: event.subject,
    reason: String(headers[header.reason] ?? brokersReason(death?.reason)),
    attempts: numberIn(message, header.attempts) || attemptOf(message),
    deadAt: String(headers[header.deadAt] ?? new Date((death?.time.value ?? 0) * 1000).toISOString()),
    event,
  }
}

const brokersReason = (reason = 'unknown') =>
  reason === 'delivery_limit'
    ? 'delivery limit: its consumers ended or lost their connection before they answered'
    : `dead-lettered by the broker: ${reason}`

/** The event, or one composed of what is readable, so that a broken message can be inspected too. */
function eventOr(message: Message): CloudEvent {
  try {
    return decode(message)
  } catch {
    const { messageId, type } = message.properties
    return {
      specversion: '1.0',
      id: String(messageId ?? ''),
      source: '',
      type: String(type ?? ''),
      subject: '',
      time: new Date(0).toISOString(),
      datacontenttype: 'application/json',
      aggregateversion: 0,
      data: { content: message.content.toString() },
    }
  }
}

function numberIn(message: Message, name: string): number {
  const value: unknown = message.properties.headers?.[name]
  return typeof value === 'number' ? value : 0
}

function again({ properties }: Message, ours: Record<string, string | number>): Options.Publish {
  const { traceparent } = properties.headers ?? {}
  return {
    persistent: true,
    contentType: properties.contentType,
    messageId: properties.messageId,
    type: properties.type,
    timestamp: properties.timestamp,
    headers: { ...ours, ...(traceparent !== undefined && { traceparent }) },
  }
}
