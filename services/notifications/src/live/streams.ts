import { EventEmitter } from 'node:events'
import { identityApi, type LiveEvent, limits, refuse } from '@carapace/api'
import { addressKey, eventFrame, openCounts } from '@carapace/service'
import type { LiveRow, LiveStore } from './live.store.ts'
import { openTail, type Pace } from './tail.ts'

/** Who reads, and what they want to see of it. */
export interface Reader {
  /** The agent that the caller has proven to be; without it only what is public is seen. */
  viewer?: string
  /** Client address, for the limit of those who are nobody. */
  ip?: string
  types?: readonly string[]
  agentId?: string
  /** A gig or job. */
  about?: string
  lastEventId?: string
}

/** What happens, stored and sent on. */
export interface LiveStreams extends Pick<LiveStore, 'add'> {
  /** @throws RATE_LIMITED when this reader, or this process, has as many streams as it may have */
  open(reader: Reader): Promise<(signal: AbortSignal) => AsyncIterable<string | Uint8Array>>
  /** Calls `end` when an agent was suspended, reinstated or migrated, or has lost its wallet: who reads as it has to prove that again. Call what it resolves to to stop. */
  watch: Watch
}

export type Watch = (agentId: string, end: () => void) => Promise<() => void>

export interface StreamPace extends Pace {
  /** A stream that has sent nothing for so long says that it is there. */
  silenceMs: number
}
const usualPace: StreamPace = { silenceMs: 15_000, wakeMs: 5_000, pollMs: 1_000 }

const { agentStatusChanged } = identityApi.events
const pageSize = 200
/** With the place up to which the reader has seen everything: what breaks while nothing happens resumes without a gap, too. */
const opening = (place: number) => `: open\nid: ${place}\nretry: 2000\n\n`
const heartbeat = (place: number) => `: still here\nid: ${place}\n\n`

/**
 * The live stream (behaviour 11). A reader is a place in the order of events and what it wants: new rows and their frames are the same objects for all
 * readers, and one that is further back than those reads the database page by page. Nothing is gathered for a reader that does not read.
 */
export function liveStreams(store: LiveStore, isAlone: boolean, pace: StreamPace = usualPace): LiveStreams {
  /** Ends the streams of an agent. */
  const endings = new EventEmitter().setMaxListeners(limits.events.perAgent + limits.stream.perAgent)
  const tail = openTail(store, isAlone, pace, ({ type, subject }) => type === agentStatusChanged.name && endings.emit(subject))
  const open = openCounts()

  async function* framesOf(reader: Reader, from: number, signal: AbortSignal): AsyncGenerator<string | Uint8Array> {
    let place = from
    let spokeAt = Date.now()
    yield opening(place)
    while (!signal.aborted) {
      const upTo = tail.last()
      const recent = tail.since(place)
      const page = recent ?? (await store.between(place, upTo, filterOf(reader), pageSize))
      for (const row of page) {
        const frame = frameFor(row, reader)
        if (frame) {
          yield frame
          spokeAt = Date.now()
        }
        place = row._id
      }
      if (!recent) {
        if (page.length < pageSize) place = upTo
      } else if (page.length === 0) await tail.more(signal)
      if (Date.now() - spokeAt >= pace.silenceMs && !signal.aborted) {
        yield heartbeat(place)
        spokeAt = Date.now()
      }
    }
  }

  const assertRoom = (key: string, most: number) => {
    const streams = open.of(key)
    if (streams >= most) refuse('RATE_LIMITED', { streams }, { message: `${streams} streams of this reader are open` })
    if (open.total() >= limits.events.perProcess)
      refuse('RATE_LIMITED', { streams: open.total() }, { message: 'No further stream can be opened here' })
  }

  const watch: Watch = async (agentId, end) => {
    endings.on(agentId, end)
    const stop = () => void endings.off(agentId, end)
    try {
      const leave = await tail.follow()
      return () => {
        stop()
        leave()
      }
    } catch (error) {
      stop()
      throw error
    }
  }

  return {
    add: store.add,
    watch,
    open: async reader => {
      const [key, most] =
        reader.viewer === undefined ? [addressKey(reader.ip ?? ''), limits.events.perAddress] : [reader.viewer, limits.events.perAgent]
      assertRoom(key, most)
      return async function* (signal) {
        const leaves = [open.enter(key)]
        const ended = new AbortController()
        try {
          leaves.push(await (reader.viewer === undefined ? tail.follow() : watch(reader.viewer, () => ended.abort())))
          yield* framesOf(reader, placeAfter(reader.lastEventId, tail.last()), AbortSignal.any([signal, ended.signal]))
        } finally {
          for (const leave of leaves) leave()
        }
      }
    },
  }
}

/** After the event that a reader saw last; now, for a new reader and for an id that is no place. */
function placeAfter(lastEventId: string | undefined, now: number): number {
  const place = /^\d{1,16}$/.test(lastEventId ?? '') ? Number(lastEventId) : now
  return Math.min(place, now)
}

const filterOf = ({ types, agentId, about }: Reader) => ({
  ...(types ? { types } : {}),
  ...(agentId === undefined ? {} : { concerned: agentId }),
  ...(about === undefined ? {} : { about }),
})

/** The views of rows, each made once for all readers. */
const [viewsOfAll, viewsOfParties] = [new WeakMap<LiveRow, Uint8Array>(), new WeakMap<LiveRow, Uint8Array>()]

/** What this reader gets of a row; undefined when that is nothing. */
function frameFor(row: LiveRow, { viewer, types, agentId, about }: Reader): Uint8Array | undefined {
  const isParty = viewer !== undefined && row.parties.includes(viewer)
  if (!isParty && row.open === null) return undefined
  if (types && !types.includes(row.type)) return undefined
  if (about !== undefined && !row.about.includes(about)) return undefined
  if (agentId !== undefined && !row.agents.includes(agentId) && !(isParty && row.parties.includes(agentId))) return undefined
  const views = isParty ? viewsOfParties : viewsOfAll
  const view = views.get(row) ?? frame(row, isParty ? { ...row.open, ...row.closed } : row.open!)
  views.set(row, view)
  return view
}

function frame({ _id, type, subject, version, time }: LiveRow, data: Record<string, unknown>): Uint8Array {
  const event: LiveEvent = { id: String(_id), type, subject, version, time, data }
  return Buffer.from(eventFrame({ id: event.id, event: type, data: event }))
}
