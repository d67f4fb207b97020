import type { Draft } from '@carapace/api'
import type { Pending } from './outbox/claims.ts'
import { leaseUntil, type OutboxEntry, relayToken } from './outbox/entry.ts'

/** What a pure rule answers: the new state and the events that the change causes. undefined = nothing to change. */
export interface Decision<T> {
  state: T
  events: Draft[]
}

/** An aggregate as its service sees it. */
export type Stored<T> = T & { version: number; createdAt: Date; updatedAt: Date }

/** An aggregate as it lies in the database: the fields of its state, and those of the store. */
export type Envelope = Pending & {
  createdAt: Date
  /** Ids of the events that caused the latest changes. */
  processed?: string[]
} & Record<string, unknown>

const ownFields = new Set(['id', '_id', 'version', 'createdAt', 'updatedAt', 'outbox', 'pending', 'lease', 'processed'])
const rememberedCauses = 100

export function stored<T>(document: Envelope): Stored<T> {
  const { _id, outbox, pending, lease, processed, ...state } = document
  return { id: _id, ...state } as unknown as Stored<T>
}

/** What a document holds of a state next to the envelope. */
export function fieldsOf(state: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(state).filter(([key, value]) => !ownFields.has(key) && value !== undefined))
}

/** The first document of an aggregate. Its outbox is leased to this process, which sends without claiming. */
export function newDocument(
  state: { id: string },
  { now, outbox, cause }: { now: Date; outbox: OutboxEntry[]; cause: string | undefined },
): Envelope {
  return {
    ...fieldsOf(state),
    ...{ _id: state.id, version: 1, createdAt: now, updatedAt: now, outbox },
    ...(outbox.length ? { pending: true as const, lease: { token: relayToken, until: leaseUntil() } } : {}),
    ...(cause ? { processed: [cause] } : {}),
  }
}

/** What an update makes of the envelope. */
interface Step {
  version: number
  now: Date
  outbox: OutboxEntry[]
  cause: string | undefined
  /** All events that are in the outbox were sent, and there are no new ones: it is emptied by the same write. */
  emptied?: ReadonlySet<string> | undefined
}

/** An outbox that holds none but these. */
export const noneBut = (sent: Iterable<string>) => ({ outbox: { $not: { $elemMatch: { id: { $nin: [...sent] } } } } })

/** The document as it is after an update. Its outbox has what was last written there. */
export function updated(before: Envelope, state: object, change: Step): Envelope {
  const { _id, createdAt, processed, outbox } = before
  const { pending, lease } = change.emptied ? {} : before
  return {
    ...fieldsOf(state),
    ...{
      _id,
      createdAt,
      version: change.version,
      updatedAt: change.now,
      outbox: change.outbox.length ? change.outbox : change.emptied ? [] : outbox,
    },
    ...(pending || change.outbox.length ? { pending: true } : {}),
    ...(lease ? { lease } : {}),
    ...(processed || change.cause ? { processed: [...(processed ?? []), ...(change.cause ? [change.cause] : [])].slice(-rememberedCauses) } : {}),
  }
}

/** Only what differs is written. An outbox that was empty is leased to this process by the same write: it sends without claiming. */
export function updateOf(before: Envelope, state: object, change: Step): Record<string, unknown> {
  const after = fieldsOf(state)
  const set: Record<string, unknown> = { version: change.version, updatedAt: change.now }
  for (const [key, value] of Object.entries(after)) if (before[key] !== value) set[key] = value
  const unset = Object.fromEntries(
    Object.keys(before)
      .filter(key => !ownFields.has(key) && !Object.hasOwn(after, key))
      .concat(change.emptied ? ['pending', 'lease'] : [])
      .map(key => [key, '']),
  )
  if (change.emptied) set.outbox = []
  if (change.outbox.length) {
    set.pending = true
    if (!before.pending) set.lease = { token: relayToken, until: leaseUntil() }
  }
  const push = {
    ...(change.outbox.length ? { outbox: { $each: change.outbox } } : {}),
    ...(change.cause ? { processed: { $each: [change.cause], $slice: -rememberedCauses } } : {}),
  }
  return { $set: set, ...(Object.keys(unset).length ? { $unset: unset } : {}), ...(Object.keys(push).length ? { $push: push } : {}) }
}
