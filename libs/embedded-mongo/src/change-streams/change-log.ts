import { Timestamp } from 'bson'
import type { Collection } from '../storage/catalog.ts'
import { type Doc, isDoc } from '../values/values.ts'
import type { OperationTime } from '../wire/message.ts'
import { blockCopier } from './block-copier.ts'
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

/** What has lately been written, in the order of the commits, for change streams; and the clock of the server's operations. */
export interface ChangeLog {
  /** Nothing is noted before the first change stream is opened. */
  isWatched(): boolean
  watch(): void
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
/** So much more may gather before the oldest changes are cut off, which is not worth while for each commit. */
const slack = 1.25

export function openChangeLog(startedAt: number): ChangeLog {
  const clock = operationClock(startedAt)
  let watched = false
  let closed = false
  let changes: LoggedChange[] = []
  let first = 0
  let bytes = 0
  let noted: LoggedChange[] = []
  /** How many of the noted changes exceed the limits and are dropped, and the time of the last of them. */
  let lost = { count: 0, until: new Timestamp({ t: 0, i: 0 }) }
  let forgotten = timestampOf(clock.now())
  let newest = forgotten
  const waiting = new Set<() => void>()
  const copy = blockCopier()

  const forgetOldest = () => {
    if (changes.length <= maxChanges * slack && bytes <= maxBytes * slack) return
    let surplus = 0
    // A transaction goes as a whole, and the newest change stays.
    const isTooMuch = () => changes.length - surplus > maxChanges || bytes > maxBytes || changes[surplus]!.part > 0
    while (surplus < changes.length - 1 && isTooMuch()) {
      bytes -= sizeOf(changes[surplus]!)
      surplus += 1
    }
    if (surplus === 0) return
    forgotten = changes[surplus - 1]!.time
    changes = changes.slice(surplus)
    first += surplus
  }
  const forgetLost = () => {
    if (lost.count === 0) return
    first += changes.length + lost.count
    forgotten = lost.until
    changes = []
    bytes = 0
    lost = { ...lost, count: 0 }
  }
  const wake = () => {
    for (const resume of [...waiting]) resume()
  }

  return {
    isWatched: () => watched,
    watch: () => {
      if (watched) return
      watched = true
      forgotten = timestampOf(clock.now())
      newest = clock.next()
    },
    note: (change, joinsLast = false) => {
      if (!watched) return
      if (noted.length > maxChanges) {
        const cut = noted.splice(0, noted.length >> 1)
        lost = { count: lost.count + cut.length, until: cut.at(-1)!.time }
      }
      const copied = { ...change, before: copy(change.before), after: copy(change.after) }
      const last = joinsLast ? noted.at(-1) : undefined
      if (last) {
        noted.push({ ...copied, time: last.time, part: last.part + 1, at: last.at })
        return
      }
      noted.push({ ...copied, time: clock.next(), part: 0, at: new Date() })
    },
    publish: () => {
      if (noted.length === 0) {
        clock.tick()
        wake()
        return
      }
      forgetLost()
      newest = noted.at(-1)!.time
      for (const change of noted) bytes += sizeOf(change)
      changes.push(...noted)
      noted = []
      forgetOldest()
      wake()
    },
    discard: () => {
      noted = []
      lost = { ...lost, count: 0 }
    },
    first: () => first,
    end: () => first + changes.length,
    get: number => changes[number - first],
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

function sizeOf({ before, after }: LoggedChange): number {
  return overhead + (before?.length ?? 0) + (after?.length ?? 0)
}
