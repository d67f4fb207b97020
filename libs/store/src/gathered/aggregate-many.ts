import type { ClientSession, Collection, mongo } from 'mongoose'
import { type Decision, type Envelope, newDocument, type Stored, updated, updateOf } from '../aggregate-document.ts'
import { announce, type Database, whenEnded } from '../database.ts'
import { duplicateIndex, refuseDuplicate } from '../errors/duplicate.ts'
import { type OutboxEntry, outboxEntries } from '../outbox/entry.ts'
import type { Recent } from '../recent/recent.ts'
import type { Sums } from '../sums.ts'

export type Decide<T, D extends Decision<T> = Decision<T>> = (state: Stored<T>) => D | undefined

interface Parts<T, D extends Decision<T>> {
  db: Database
  collection: string
  raw: Collection<Envelope>
  recent: Recent
  read(document: Envelope): Stored<T>
  derive(state: T): T
  /** What is decided on a document that may be old; undefined where only the present one may decide. */
  decidedOn(document: Envelope | undefined, decide: Decide<T, D>): D | undefined
  /** Whether a change is one write of its own document, and nothing else. */
  isPlain(before: Stored<T>, after: Stored<T>, decision: D): boolean
  changeOne(id: string, decide: Decide<T, D>): Promise<Stored<T> | undefined>
}

/** A change that is decided, as it is written. */
interface Step<T> {
  id: string
  before: Envelope
  state: T
  after: Stored<T>
  change: { version: number; now: Date; outbox: OutboxEntry[]; cause: undefined }
}

/**
 * Changes several documents by one write. What it did not get to write, because another write came first, and what may not be decided on a document
 * that is a moment old, is changed alone.
 */
export function changesOfMany<T extends { id: string }, D extends Decision<T>>(parts: Parts<T, D>) {
  const { db, collection, raw, recent, read, derive } = parts

  /** The documents as this process last read or wrote them; those of which it knows none are read together. */
  const present = async (ids: readonly string[]): Promise<Map<string, Envelope>> => {
    const cached = ids.flatMap(id => recent.get(id) ?? [])
    const found = new Set(cached.map(({ _id }) => _id))
    const others = ids.filter(id => !found.has(id))
    const reading = recent.begin()
    // one alone is read by its own change
    const documents = others.length > 1 ? await raw.find({ _id: { $in: others } }).toArray() : []
    for (const document of documents) recent.put(document, reading)
    return new Map([...cached, ...documents].map(document => [document._id, document]))
  }

  const stepOf = (id: string, before: Envelope | undefined, decide: Decide<T, D>): Step<T> | undefined => {
    const decision = parts.decidedOn(before, decide)
    if (!before || !decision) return undefined
    const [state, now, version] = [derive(decision.state), db.clock.now(), before.version + 1]
    const after: Stored<T> = { ...state, id, version, createdAt: before.createdAt, updatedAt: now }
    const change = { version, now, outbox: outboxEntries(db, decision.events, version, now), cause: undefined }
    return parts.isPlain(read(before), after, decision) ? { id, before, state, after, change } : undefined
  }

  /** One after another with the other changes of each document. Sorted, so that two of these never wait for each other. */
  const inOrder = <R>([id, ...others]: readonly string[], work: () => Promise<R>): Promise<R> =>
    id === undefined ? work() : recent.inOrder(id, () => inOrder(others, work))

  const writeSteps = async (steps: readonly Step<T>[]): Promise<Map<string, Stored<T>>> => {
    const releases = steps.map(({ id }) => recent.hold(id))
    let lost: ReadonlySet<number> | undefined
    try {
      lost = await guardedWrite(
        raw,
        steps.map(({ id, before, state, change }) => ({ id, version: before.version, update: updateOf(before, state, change) })),
      )
    } finally {
      for (const [at, { before, state, change }] of steps.entries()) releases[at]!(lost && !lost.has(at) ? updated(before, state, change) : undefined)
    }
    const written = steps.filter((_, at) => !lost?.has(at))
    for (const { id, before, change } of written)
      announce(db, undefined, collection, id, { after: before.version, version: change.version, entries: change.outbox, isAll: !before.pending })
    return new Map(written.map(({ id, after }) => [id, after]))
  }

  return (decides: ReadonlyMap<string, Decide<T, D>>): Promise<Map<string, Stored<T>>> =>
    inOrder([...decides.keys()].sort(), async () => {
      const documents = await present([...decides.keys()])
      const steps = [...decides].flatMap(([id, decide]) => stepOf(id, documents.get(id), decide) ?? [])
      const changed = steps.length > 1 ? await writeSteps(steps) : new Map<string, Stored<T>>()
      for (const [id, decide] of decides) {
        const alone = changed.has(id) ? undefined : await parts.changeOne(id, decide)
        if (alone) changed.set(id, alone)
      }
      return changed
    })
}

/** Stores new documents together, with the figures that they change. */
export function newOfMany<T extends { id: string }, D extends Decision<T>>(
  { db, collection, raw, recent, read, derive }: Parts<T, D>,
  sums: Pick<Sums<Stored<T>>, 'writeNew'>,
) {
  return async (states: readonly T[], session: ClientSession): Promise<void> => {
    const now = db.clock.now()
    const documents = states.map(state => newDocument(derive(state), { now, outbox: [], cause: undefined }))
    await sums.writeNew(documents.map(read), session, async own => {
      await raw.insertMany(documents, own).catch((error: unknown) => refuseDuplicate(error, { _id_: 'ALREADY_EXISTS' }))
      return true
    })
    for (const document of documents) {
      const release = recent.hold(document._id)
      whenEnded(session, isCommitted => release(isCommitted ? document : undefined))
      announce(db, session, collection, document._id, { after: 0, version: 1, entries: [], isAll: true })
    }
  }
}

interface GuardedUpdate {
  id: string
  version: number
  update: Record<string, unknown>
}

/**
 * Writes each document that still has its version. Answers which did not get to: an update that would make its document instead collides with the one
 * that is there.
 */
async function guardedWrite(raw: Collection<Envelope>, updates: readonly GuardedUpdate[]): Promise<ReadonlySet<number>> {
  const operations = updates.map(({ id, version, update }) => ({ updateOne: { filter: { _id: id, version }, update, upsert: true } }))
  try {
    await raw.bulkWrite(operations as mongo.AnyBulkWriteOperation<Envelope>[], { ordered: false })
    return new Set()
  } catch (error) {
    const { writeErrors } = error as mongo.MongoBulkWriteError
    if (duplicateIndex(error) === undefined || !Array.isArray(writeErrors)) throw error
    return new Set(writeErrors.map(({ index }) => index))
  }
}
