import { cloudEvent, type Draft } from '@carapace/api'
import type { Outgoing } from '@carapace/bus'
import { v7 } from 'uuid'

/** An event as it waits inside its aggregate. */
export interface OutboxEntry {
  id: string
  exchange: Draft['exchange']
  routingKey: string
  type: string
  subject: string
  version: number
  time: Date
  traceparent?: string
  data: Record<string, unknown>
}

/** What writes of this process added to an outbox: it may be sent without another read of the document. */
export interface Handoff {
  /** Version of the document before these writes. */
  after: number
  version: number
  entries: readonly OutboxEntry[]
  /** The outbox was empty before, and the first write leased it to this process. Else it continues what is being sent. */
  isAll: boolean
}

/** Names a document in `sentOutboxes` of a database. */
export const outboxKey = (collection: string, id: string): string => `${collection}/${id}`

/** Two handoffs of one document as one; undefined where a write of another process may lie between them. */
export const joined = (earlier: Handoff, later: Handoff): Handoff | undefined =>
  later.after === earlier.version
    ? { after: earlier.after, version: later.version, entries: [...earlier.entries, ...later.entries], isAll: earlier.isAll }
    : undefined

/** Names this process in leases on outboxes. */
export const relayToken = v7()
export const leaseMs = 10_000

/** Leases compare wall-clock times of replicas, never the platform clock, which tests and the sandbox move. */
export const leaseUntil = () => new Date(Date.now() + leaseMs)

/** Names the entries of this process, and the trace that they belong to. */
interface Origin {
  newId(): string
  traceparent(): string | undefined
}

export function outboxEntries(origin: Origin, drafts: readonly Draft[], version: number, time: Date): OutboxEntry[] {
  const traceparent = drafts.length ? origin.traceparent() : undefined
  return drafts.map(draft => ({ id: origin.newId(), ...draft, version, time, ...(traceparent ? { traceparent } : {}) }))
}

export function outgoing(entry: OutboxEntry, source: string): Outgoing {
  const { id, time, version, traceparent, exchange, routingKey } = entry
  return { exchange, routingKey, event: cloudEvent(entry, { id, source, time: time.toISOString(), aggregateversion: version, traceparent }) }
}
