import type { Envelope } from '../aggregate-document.ts'
import type { Database } from '../database.ts'

/** Documents of one collection as this process last read or wrote them, for a moment: a guarded write decides on them without another read. */
export interface Recent {
  get(id: string): Envelope | undefined
  put(document: Envelope): void
  drop(id: string): void
  /** Changes of one document run one after another: each finds what the one before has written. */
  inOrder<T>(id: string, change: () => Promise<T>): Promise<T>
}

/** A document that was changed past its guard is seen so late at most. */
const validMs = 2_000
const most = 2_000

/** `isUsed` false: of a collection whose documents are also written past the guard. */
export function recentOf(db: Database, collection: string, isUsed: boolean): Recent {
  if (!isUsed) return unused
  const documents = new Map<string, { document: Envelope; until: number }>()
  const tails = new Map<string, Promise<unknown>>()
  const put = (document: Envelope) => {
    documents.delete(document._id)
    documents.set(document._id, { document, until: performance.now() + validMs })
    if (documents.size > most) documents.delete(documents.keys().next().value!)
  }
  const get = (id: string) => {
    const found = documents.get(id)
    return found && found.until > performance.now() ? found.document : undefined
  }
  db.changes.on('cleared', (of, id, version) => {
    const found = of === collection ? documents.get(id) : undefined
    if (found?.document.version !== version) return
    const { pending, ...document } = found.document
    found.document = document as Envelope
  })
  db.changes.on('saved', (of, id, handoff) => {
    // written past the store
    if (of === collection && handoff?.version === 0) documents.delete(id)
  })
  return {
    get,
    put,
    drop: id => void documents.delete(id),
    inOrder: (id, change) => {
      const next = (tails.get(id) ?? Promise.resolve()).then(change, change)
      const tail = next.catch(() => undefined).finally(() => tails.get(id) === tail && tails.delete(id))
      tails.set(id, tail)
      return next
    },
  }
}

const unused: Recent = { get: () => undefined, put: () => undefined, drop: () => undefined, inOrder: (_, change) => change() }
