import { z } from 'zod'
import type { Audience } from './audience.ts'

type Fields = Record<string, z.ZodType>

/** The topic exchanges on RabbitMQ; an installation may put a prefix before them. */
export const exchanges = { events: 'carapace.events', commands: 'carapace.commands' } as const

/** What goes onto the bus, before the envelope is put round it. `data` is plain JSON. */
export interface Draft {
  readonly exchange: keyof typeof exchanges
  readonly type: string
  readonly routingKey: string
  readonly subject: string
  readonly data: Record<string, unknown>
}

export interface EventDef<F extends Fields = Fields> {
  /** `<service>.<thing>.<past-tense>` */
  readonly name: string
  /** Name and version: the CloudEvents type and the routing key. */
  readonly type: string
  readonly producer: string
  readonly subject: string
  readonly summary: string
  /** Who sees it on the live stream; every declared event of a service has one. */
  readonly audience: Audience | undefined
  readonly payload: z.ZodObject<F>
  /** Makes a draft for the outbox; the envelope adds id, time and the aggregate's version. */
  of(payload: z.output<z.ZodObject<F>>): Draft
  /** The same of a payload that is plain JSON already: its type is checked by the compiler only. */
  ofPlain(payload: z.input<z.ZodObject<F>>): Draft
  /** The payload of a received event. @throws ZodError when it does not match */
  read(data: unknown): z.output<z.ZodObject<F>>
}

/**
 * Declares a domain event. `subject` is the payload field that holds the aggregate's id.
 * @example export const gigPosted = event('marketplace.gig.posted', 'gigId', 'A gig was posted', { gigId: id, budget: micro }, { everyone: ['gigId'] })
 */
export function event<F extends Fields>(
  name: string,
  subject: keyof F & string,
  summary: string,
  fields: F | z.ZodObject<F>,
  audience?: Audience<keyof F & string>,
  version = 1,
): EventDef<F> {
  const payload = fields instanceof z.ZodObject ? fields : z.object(fields)
  const type = `${name}.v${version}`
  const draft = (data: Record<string, unknown>): Draft => ({ exchange: 'events', type, routingKey: type, subject: String(data[subject]), data })
  return {
    name,
    type,
    producer: name.slice(0, name.indexOf('.')),
    subject,
    summary,
    audience,
    payload,
    of: value => draft(z.encode(payload, value) as Record<string, unknown>),
    ofPlain: draft,
    read: data => z.decode(payload, data as z.input<typeof payload>),
  }
}

export type PayloadOf<E> = E extends EventDef<infer F> ? z.output<z.ZodObject<F>> : never

/** CloudEvents 1.0 in structured mode, as it travels on the bus. */
export interface CloudEvent {
  specversion: '1.0'
  /** Stable over redelivery and rebroadcast: the key of every idempotent consumer. */
  id: string
  /** `/carapace/<service>` */
  source: string
  type: string
  subject: string
  /** ISO 8601, platform clock. */
  time: string
  datacontenttype: 'application/json'
  /** Rises by one with each change of the aggregate; 0 where there is no aggregate. */
  aggregateversion: number
  traceparent?: string
  data: Record<string, unknown>
}

/**
 * Puts the envelope round a draft.
 * @example cloudEvent(draft, { id: v7(), source: '/carapace/escrow', time: now.toISOString(), aggregateversion: 3 })
 */
export function cloudEvent(
  { type, subject, data }: Pick<Draft, 'type' | 'subject' | 'data'>,
  { id, source, time, aggregateversion, traceparent }: Pick<CloudEvent, 'id' | 'source' | 'time' | 'aggregateversion' | 'traceparent'>,
): CloudEvent {
  const trace = traceparent ? { traceparent } : {}
  return { specversion: '1.0', id, source, type, subject, time, datacontenttype: 'application/json', aggregateversion, ...trace, data }
}
