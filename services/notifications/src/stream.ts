import { once } from 'node:events'
import { limits, type Notification, refuse } from '@carapace/api'
import { eventFrame, openCounts, unlessPassing, withTimeLimit } from '@carapace/service'
import type { Inbox } from './inbox.store.ts'
import type { Watch } from './live/streams.ts'

/** Where a reader left off: what it has seen at that very time, so that nothing comes twice. */
interface Place {
  /** The entry after which it begins, or `beginning`: a connection that breaks before the first one resumes by it. */
  id: string
  from: Date
  seen: ReadonlySet<string>
}

export interface Streams {
  /** The place after the entry that a reader saw last; now, for a new reader or an id that is neither the agent's nor `beginning`. */
  placeOf(agentId: string, lastEventId: string | undefined): Promise<Place>
  /** @throws RATE_LIMITED when the agent has as many streams as it may have */
  open(agentId: string, place: Place): (signal: AbortSignal) => AsyncIterable<string>
}

/** The place of a reader whose inbox was empty, as it is sent in `id`: every entry is new to that reader. */
const beginning = 'none'
const pageSize = 200
/** Wall-clock ms. Entries of other replicas are found by polling. */
const pollMs = 2_000
const silenceMs = 15_000
/** Clocks of replicas differ: an entry may appear after one that is newer than it. */
const overlapMs = 5_000

/** New entries of an inbox as server-sent events (behaviour 11). Nothing is held in memory for a slow reader: each poll starts from its place. */
export function notificationStreams(inbox: Inbox, clock: { now(): Date }, watch: Watch): Streams {
  const open = openCounts()

  async function* frames(agentId: string, { id, ...place }: Place, signal: AbortSignal): AsyncGenerator<string> {
    let { from, seen } = place
    let limit = pageSize
    let spoke = Date.now()
    yield `: open\nid: ${id}\n\n`
    while (!signal.aborted) {
      const woken = nextEntry(inbox, agentId, signal)
      // what cannot be read in passing is read by the next poll
      const page = (await unlessPassing(inbox.since(agentId, from, limit))) ?? []
      for (const entry of page) if (!seen.has(entry.id)) yield frame(entry)
      if (page.some(({ id }) => !seen.has(id))) spoke = Date.now()
      const isFull = page.length === limit
      const next = nextFrom(from, page, isFull)
      // more entries of one moment than a page holds
      limit = isFull && next.getTime() === from.getTime() ? 2 * limit : pageSize
      from = next
      seen = new Set([...seen, ...page.map(({ id }) => id)].slice(-2 * limit))
      if (!isFull) await woken
      if (Date.now() - spoke >= silenceMs) {
        spoke = Date.now()
        yield ': still here\n\n'
      }
    }
  }

  const lastOf = async (agentId: string, lastEventId: string | undefined) =>
    (lastEventId === undefined ? undefined : await inbox.get(agentId, lastEventId)) ?? (await inbox.newest(agentId))

  return {
    placeOf: async (agentId, lastEventId) => {
      const oldest = clock.now().getTime() - limits.stream.replayMs
      const last = lastEventId === beginning ? undefined : await lastOf(agentId, lastEventId)
      if (!last) return { id: beginning, from: new Date(oldest), seen: new Set() }
      const at = Math.max(Date.parse(last.createdAt), oldest)
      const overlap = await inbox.since(agentId, new Date(at - overlapMs), pageSize)
      const isWhole = overlap.some(({ id }) => id === last.id)
      const from = new Date(isWhole ? at - overlapMs : at)
      const page = isWhole ? overlap : await inbox.since(agentId, from, pageSize)
      return { id: last.id, from, seen: new Set(page.slice(0, page.findIndex(({ id }) => id === last.id) + 1).map(({ id }) => id)) }
    },
    open: (agentId, place) => {
      const already = open.of(agentId)
      if (already >= limits.stream.perAgent) refuse('RATE_LIMITED', { streams: already }, { message: `${already} streams of this agent are open` })
      return async function* (signal) {
        const leaves = [open.enter(agentId)]
        const ended = new AbortController()
        try {
          leaves.push(await watch(agentId, () => ended.abort()))
          yield* frames(agentId, place, AbortSignal.any([signal, ended.signal]))
        } finally {
          for (const leave of leaves) leave()
        }
      }
    },
  }
}

const frame = (entry: Notification) => eventFrame({ id: entry.id, event: entry.type, data: entry })

/** Full pages go forward; at the end of the inbox a stretch of time is read again. */
function nextFrom(from: Date, page: readonly Notification[], isFull: boolean): Date {
  const newest = page.at(-1)
  if (!newest) return from
  const at = Date.parse(newest.createdAt)
  return isFull ? new Date(at) : new Date(Math.max(from.getTime(), at - overlapMs))
}

/** Resolves at the next entry of this process, after a while, or when the stream ends. */
async function nextEntry(inbox: Inbox, agentId: string, signal: AbortSignal): Promise<void> {
  await withTimeLimit(signal, pollMs, both => once(inbox.added, agentId, { signal: both })).catch(() => undefined)
}
