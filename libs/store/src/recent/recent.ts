import type { Envelope } from '../aggregate-document.ts'
import type { Database } from '../database.ts'

/** Documents of one collection as this process last read or wrote them, for a moment. */
export interface Recent {
  /** For a guarded write, which fails where the document is another one by now. */
  get(id: string): Envelope | undefined
  /**
   * The document as the database has it, known without a read: no other process writes there, and the work in hand, by its trace, has read or written it
   * before. What another trace last read is read again, so that damage done past this process is seen by the next request.
   */
  exact(id: string): Envelope | undefined
  /** To be called before a read whose result is `put`. */
  begin(): Reading
  put(document: Envelope, reading: Reading): void
  /** A write of the document begins: what is read until its end may be old. The function that is returned ends it, with the document as it was written. */
  hold(id: string): (written?: Envelope) => void
  /** Changes of one document run one after another: each finds what the one before has written. */
  inOrder<T>(id: string, change: () => Promise<T>): Promise<T>
}
/** The moment of its begin. */
type Reading = number

interface Entry {
  document: Envelope
  /** When it was read or written, ms. */
  since: number
  trace: string | undefined
}

/** `alone`: only in a database to which no other process writes. */
export type Optimistic = boolean | 'alone'

/** A document that was changed past its guard is seen so late at most. */
const validMs = 2_000
/** Where no other process writes that is damage by hand, and a guarded write is decided on what is known for as long as agents are silent between heartbeats. */
const soleGuardedMs = 20 * 60_000
const most = 2_000

/** `isUsed` false: of a collection whose documents are also written past the guard. */
export function recentOf(db: Database, collection: string, isUsed: Optimistic): Recent {
  if (!isUsed || (isUsed === 'alone' && !db.exclusive)) return unused
  const guardedMs = db.exclusive ? soleGuardedMs : validMs
  const documents = new Map<string, Entry>()
  const tails = new Map<string, Promise<unknown>>()
  const held = new Map<string, number>()
  let heldAll = 0
  /** Counts begins and ends of writes: when a document was last written, for a while, and the latest moment that was forgotten. */
  let moment = 0
  const writtenAt = new Map<string, number>()
  let forgotten = 0

  const traceId = () => db.traceparent()?.slice(3, 35)
  const isHeld = (id: string) => heldAll > 0 || held.has(id)
  const store = (document: Envelope) => {
    documents.delete(document._id)
    documents.set(document._id, { document, since: performance.now(), trace: traceId() })
    if (documents.size > most) documents.delete(documents.keys().next().value!)
  }
  const mark = (id: string) => {
    documents.delete(id)
    writtenAt.delete(id)
    writtenAt.set(id, ++moment)
    if (writtenAt.size <= most) return
    const [oldest, at] = writtenAt.entries().next().value!
    writtenAt.delete(oldest)
    forgotten = Math.max(forgotten, at)
  }
  const hold: Recent['hold'] = id => {
    mark(id)
    held.set(id, (held.get(id) ?? 0) + 1)
    return written => {
      const others = held.get(id)! - 1
      if (others > 0) held.set(id, others)
      else held.delete(id)
      mark(id)
      if (written) store(written)
    }
  }
  const notOlder = (id: string, ageMs: number) => {
    const found = documents.get(id)
    return found && performance.now() - found.since < ageMs ? found : undefined
  }

  db.changes.on('cleared', (of, id, version) => {
    const found = of === collection ? documents.get(id) : undefined
    // a later event is not sent yet
    if (!found || found.document.version < version || found.document.outbox.some(entry => entry.version > version)) return
    const { pending, ...document } = { ...found.document, outbox: [] }
    found.document = document as Envelope
  })
  const releases = new Map<object, (() => void)[]>()
  db.changes.on('writing', (of, ids, write) => {
    if (of !== collection) return
    if (ids) releases.set(write, ids.map(hold))
    else {
      heldAll++
      documents.clear()
    }
  })
  db.changes.on('wrote', (of, ids, write) => {
    if (of !== collection) return
    for (const release of releases.get(write) ?? []) release()
    releases.delete(write)
    if (ids) return
    heldAll--
    documents.clear()
    forgotten = ++moment
  })
  return {
    get: id => (isHeld(id) ? undefined : notOlder(id, guardedMs)?.document),
    exact: id => {
      const found = db.exclusive && !isHeld(id) ? notOlder(id, validMs) : undefined
      const trace = found && traceId()
      return trace !== undefined && found?.trace === trace ? found.document : undefined
    },
    begin: () => moment,
    put: (document, since) => {
      const id = document._id
      if (isHeld(id) || since < forgotten || since < (writtenAt.get(id) ?? 0)) return
      if (document.version >= (documents.get(id)?.document.version ?? 0)) store(document)
    },
    hold,
    inOrder: (id, change) => {
      const next = (tails.get(id) ?? Promise.resolve()).then(change, change)
      const tail = next.catch(() => undefined).finally(() => tails.get(id) === tail && tails.delete(id))
      tails.set(id, tail)
      return next
    },
  }
}

const unused: Recent = {
  get: () => undefined,
  exact: () => undefined,
  begin: () => 0,
  put: () => undefined,
  hold: () => () => undefined,
  inOrder: (_, change) => change(),
}
