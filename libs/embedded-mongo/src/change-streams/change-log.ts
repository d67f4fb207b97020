import type { Timestamp } from 'bson'
import type { Collection } from '../storage/catalog.ts'
import type { Storage } from '../storage/storage.ts'
import { type Doc, isDoc } from '../values/values.ts'
import type { OperationTime } from '../wire/message.ts'
import { blockCopier } from './block-copier.ts'
import { changeStore, type Limits, storedLimits } from './change-store.ts'
import { operationClock, timestampOf } from './operation-clock.ts'

export type ChangeKind =
  | 'insert'
  | 'update'
  | 'replace'
  | 'delete'
  | 'create'
  | 'drop'
  | 'rename'
  | 'dropDatabase'
  | 'createIndexes'
  | 'dropIndexes'
  | 'modify'

/** What a write reports to the log. */
export interface NewChange {
  kind: ChangeKind
  db: string
  /** Absent when a whole database was dropped. */
  collection?: string
  uuid?: Collection['uuid']
  /** The document's key in the store. */
  key?: Buffer
  before?: Buffer
  after?: Buffer
  /** The collection stores images of documents before and after a change. */
  hasImages?: boolean
  /** What only the event's kind has, such as the new name of a collection. */
  details?: Doc
  /** Session and number of the transaction that it was committed with. */
  transaction?: { lsid: Doc; number: number }
}

export interface LoggedChange extends NewChange {
  time: Timestamp
  /** Its place among the changes of one transaction, which share their time. */
  part: number
  at: Date
}

/** The change that a write makes of one document. */
export function documentChange(
  collection: Collection,
  key: Buffer,
  before: Buffer | undefined,
  after: Buffer | undefined,
  isReplacement: boolean | undefined,
): NewChange {
  const { db, name, uuid, options } = collection
  const kind = !before ? 'insert' : !after ? 'delete' : isReplacement ? 'replace' : 'update'
  const hasImages = isDoc(options.changeStreamPreAndPostImages) && options.changeStreamPreAndPostImages.enabled === true
  return { kind, db, collection: name, uuid, key, before, after, hasImages }
}

/**
 * What has lately been written, in the order of the commits, for change streams; and the clock of the server's operations. It is stored with
 * what was written, so that a stream goes on after a restart. The newest part is in memory too.
 */
export interface ChangeLog {
  /** Nothing is noted before the first change stream was ever opened on this data folder. */
  isWatched(): boolean
  /** Resolves when changes are noted. */
  watch(): Promise<void>
  /** Notes a change; only inside `Storage.write`. Changes of one transaction share a time: all after the first one are marked. */
  note(change: NewChange, joinsLast?: boolean): void
  /** The noted changes are on disk: streams may see them. */
  publish(): void
  /** The noted changes were not stored. */
  discard(): void
  /** Number of the oldest change that is still there, and the number after the newest. */
  first(): number
  end(): number
  get(number: number): LoggedChange | undefined
  /** Everything up to here, this time included, has been forgotten or was never noted. */
  forgottenUntil(): Timestamp
  /** Time of the newest published change. */
  newest(): Timestamp
  /** The time now, never less than that of any noted change. */
  time(): OperationTime
  /** Resolves at the next commit, or after so many milliseconds. */
  change(withinMs: number): Promise<void>
  close(): void
  isClosed(): boolean
}

const maxChanges = 10_000
const maxBytes = 16 * 1024 * 1024
const overhead = 256
/** So much more may gather before the oldest changes leave the memory, which is not worth while for each commit. */
const slack = 1.25

export function openChangeLog(storage: Storage, startedAt: number, limits: Limits = storedLimits): ChangeLog {
  const store = changeStore(storage, limits)
  const stored = store.load()
  const clock = operationClock(startedAt, stored?.newest)
  let watched = stored !== undefined
  let watching: Promise<void> | undefined
  let closed = false
  let first = stored?.first ?? 0
  let end = stored?.end ?? 0
  let forgotten = stored?.forgotten ?? timestampOf(clock.now())
  let newest = stored?.newest ?? forgotten
  /** The newest changes, from number end - changes.length on. */
  let changes: LoggedChange[] = []
  let bytes = 0
  /** Changes of the commit under way: how many, and the last of them. */
  let noted: { count: number; last: LoggedChange[]; first: number; forgotten: Timestamp | undefined } = nothing()
  const waiting = new Set<() => void>()
  const copy = blockCopier()

  const leaveMemory = () => {
    if (changes.length <= maxChanges * slack && bytes <= maxBytes * slack) return
    let surplus = 0
    while (surplus < changes.length - 1 && (changes.length - surplus > maxChanges || bytes > maxBytes)) {
      bytes -= sizeOf(changes[surplus]!)
      surplus += 1
    }
    changes = changes.slice(surplus)
  }
  const wake = () => {
    for (const resume of [...waiting]) resume()
  }
  const begin = () => {
    forgotten = timestampOf(clock.now())
    newest = clock.next()
    store.begin(forgotten, newest)
    watched = true
  }

  return {
    isWatched: () => watched,
    watch: async () => {
      if (watched) return
      watching ??= storage.write(begin).finally(() => (watching = undefined))
      await watching
    },
    note: (change, joinsLast = false) => {
      if (!watched) return
      const copied = { ...change, before: copy(change.before), after: copy(change.after) }
      const last = joinsLast ? noted.last.at(-1) : undefined
      const logged = last
        ? { ...copied, time: last.time, part: last.part + 1, at: last.at }
        : { ...copied, time: clock.next(), part: 0, at: new Date() }
      store.put(end + noted.count, logged)
      noted.count += 1
      noted.last.push(logged)
      if (noted.last.length > maxChanges) noted.last.splice(0, maxChanges >> 1)
      const trimmed = store.trim(end + noted.count)
      noted.first = trimmed.first
      noted.forgotten = trimmed.forgotten ?? noted.forgotten
    },
    publish: () => {
      if (noted.count === 0) {
        clock.tick()
        wake()
        return
      }
      const isGap = noted.last.length < noted.count
      if (isGap) [changes, bytes] = [[], 0]
      changes.push(...noted.last)
      for (const change of noted.last) bytes += sizeOf(change)
      newest = noted.last.at(-1)!.time
      end += noted.count
      first = noted.first
      forgotten = noted.forgotten ?? forgotten
      noted = nothing()
      leaveMemory()
      wake()
    },
    discard: () => {
      noted = nothing()
      watched = store.load() !== undefined
    },
    first: () => first,
    end: () => end,
    get: number => (number >= end - changes.length ? changes[number - end + changes.length] : store.get(number)),
    forgottenUntil: () => forgotten,
    newest: () => newest,
    time: clock.now,
    change: withinMs =>
      new Promise(resolve => {
        const resume = () => {
          clearTimeout(timer)
          waiting.delete(resume)
          resolve()
        }
        const timer = setTimeout(resume, withinMs)
        waiting.add(resume)
      }),
    close: () => {
      closed = true
      wake()
    },
    isClosed: () => closed,
  }
}

function nothing() {
  return { count: 0, last: [], first: 0, forgotten: undefined }
}

function sizeOf({ before, after }: LoggedChange): number {
  return overhead + (before?.length ?? 0) + (after?.length ?? 0)
}
