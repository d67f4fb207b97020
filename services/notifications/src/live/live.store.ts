import { EventEmitter } from 'node:events'
import { type Audience, type CloudEvent, limits, liveEvents, type Seen, seenOf } from '@carapace/api'
import { type Database, duplicateIndex, gathered, type Indexes } from '@carapace/store'

/** One event and who may see what of it, as it was decided when it was published. */
export interface LiveRow extends Seen {
  /** Its place: one more than that of the row before it. */
  _id: number
  eventId: string
  /** Its name, without the version. */
  type: string
  subject: string
  /** Of its aggregate. */
  version: number
  time: string
  /** `agents` and `parties`. */
  concerned: string[]
  /** Wall clock, for the 7 days after which the database removes it. */
  storedAt: Date
}

/** What every row of an answer has, as far as an index knows it; who may see the row is decided on the row. */
export interface LiveFilter {
  types?: readonly string[]
  /** An agent that the row names to somebody. */
  concerned?: string
  /** A gig or job. */
  about?: string
}

export interface LiveStore {
  /** Stores an event at the next place; one that is there already adds nothing. */
  add(event: CloudEvent): Promise<void>
  /** Emits `rows` when this process has stored some, in the order of their places; those of other replicas are found by polling. */
  added: EventEmitter<{ rows: [rows: readonly LiveRow[]] }>
  /** The newest place; 0 when there is none. */
  newest(): Promise<number>
  /** Rows after `from` up to `to`, in order. */
  between(from: number, to: number, filter: LiveFilter, limit: number): Promise<LiveRow[]>
}

/** Events of one moment are one write: of a longer one while nobody of this process follows. Readers at other replicas find rows by polling. */
const [followedMs, momentMs] = [50, 1_000]

const indexes: Indexes = {
  event: { key: { eventId: 1 }, unique: true },
  type_place: { key: { type: 1, _id: 1 } },
  concerned_place: { key: { concerned: 1, _id: 1 } },
  about_place: { key: { about: 1, _id: 1 } },
  expired: { key: { storedAt: 1 }, expireAfterSeconds: limits.events.replayMs / 1_000 },
}

/** An empty collection begins above all places that it can have had: so a reader's old place never becomes another event's. */
const firstPlace = () => Math.floor(Date.now() / limits.events.replayMs) * limits.events.replayMs

const declared = new Map(
  liveEvents.map(({ type, name, audience, payload }) => [
    type,
    { name, audience: audience as Exclude<Audience, 'internal'>, fields: Object.keys(payload.shape) },
  ]),
)

/**
 * The events of the last 7 days in one order for all readers. A row is stored only by a writer that knows the row before it is there, whichever replica
 * stored that one: of two that claim a place the database lets one have it. So places have no gap that could be filled later, and a reader that has seen
 * one has seen all before it.
 */
export function liveStore(db: Database): LiveStore {
  const rows = db.collection<LiveRow>('live_events', indexes)
  const added: LiveStore['added'] = new EventEmitter()
  /** The newest place that this process knows. */
  let last: number | undefined

  const newest = async () => (await rows.find({}, { sort: { _id: -1 }, limit: 1, projection: { _id: 1 } }).next())?._id ?? 0

  /** Stores rows one after the other. Resolves to how many were stored, and whether the next one was refused because the event is there already. */
  const insert = async (wanted: readonly LiveRow[]): Promise<{ stored: number; isRepeated: boolean }> => {
    try {
      await rows.insertMany([...wanted], { ordered: true })
      return { stored: wanted.length, isRepeated: false }
    } catch (error) {
      const index = duplicateIndex(error)
      if (index === undefined) throw error
      return { stored: insertedBefore(error), isRepeated: index === 'event' }
    }
  }

  const addAll = gathered(
    async (events: readonly CloudEvent[]) => {
      let rest = events.map(rowOf)
      while (rest.length > 0) {
        const from = (last ?? (await newest())) || firstPlace()
        last = undefined
        const wanted = rest.map((row, at) => ({ ...row, _id: from + 1 + at }))
        const { stored, isRepeated } = await insert(wanted)
        if (stored > 0) added.emit('rows', wanted.slice(0, stored))
        if (stored === wanted.length || isRepeated) last = from + stored
        rest = rest.slice(isRepeated ? stored + 1 : stored)
      }
      return events.map(() => undefined)
    },
    () => (added.listenerCount('rows') > 0 ? followedMs : momentMs),
  )

  return {
    add: async event => {
      if (declared.has(event.type)) await addAll(event)
    },
    added,
    newest,
    between: (from, to, { types, concerned, about }, limit) =>
      rows
        .find({
          _id: { $gt: from, $lte: to },
          ...(types ? { type: { $in: [...types] } } : {}),
          ...(concerned === undefined ? {} : { concerned }),
          ...(about === undefined ? {} : { about }),
        })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
  }
}

function rowOf({ id, type, subject, aggregateversion, time, data }: CloudEvent): Omit<LiveRow, '_id'> {
  const { name, ...audience } = declared.get(type)!
  const seen = seenOf(audience, data)
  const concerned = [...new Set([...seen.agents, ...seen.parties])]
  return { eventId: id, type: name, subject, version: aggregateversion, time, ...seen, concerned, storedAt: new Date() }
}

/** How many of an ordered write were stored before the one that failed. */
function insertedBefore(error: unknown): number {
  const { writeErrors } = error as { writeErrors?: { index: number } | readonly { index: number }[] }
  return [writeErrors].flat()[0]?.index ?? 0
}
