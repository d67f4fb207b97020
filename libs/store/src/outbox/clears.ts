import { noneBut } from '../aggregate-document.ts'
import type { Database } from '../database.ts'
import type { Claims, Pending } from './claims.ts'
import { type Handoff, outboxKey } from './entry.ts'

/**
 * `unchanged`: something else is in the outbox (a newer event of another process), or a lease was lost; a handoff: that, as it was read. `withdrawn`: nothing
 * was written.
 */
export type ClearOutcome = 'cleared' | 'unchanged' | 'withdrawn' | Handoff

export interface Clear {
  done: Promise<ClearOutcome>
  /** There is more to send first. Without effect once it is being written. */
  withdraw(): void
}

export interface OutboxClears {
  /** Empties an outbox that holds nothing but these events. */
  clear(collection: string, id: string, ids: readonly string[]): Clear
  /** Removes events that were sent from an outbox that holds others too. */
  removeSent(collection: string, id: string, ids: readonly string[]): Promise<void>
  /** A write of the document has emptied the outbox, which waits for it no longer. */
  emptied(collection: string, id: string): void
  /** Documents whose events were all sent. */
  waiting(collection: string): string[]
  /** Writes what is waiting, and from now on without delay. */
  close(): void
}

interface Sent {
  id: string
  ids: readonly string[]
  done: (outcome: ClearOutcome) => void
  failed: (error: unknown) => void
}

/** Outboxes of one collection that are emptied together. */
interface Batch {
  sent: Set<Sent>
  timer: NodeJS.Timeout
  endsAt: number
}

/** Event ids in one filter: each outbox is compared with all of them. */
const maxIds = 1_000
/** So many documents do not wait for more. */
const manyDocuments = 64
/** Of what has to end soon. */
const shortMs = 40

/**
 * Empties outboxes after the confirm, all of a while in one call of the database. Until then a document's next event may come: then both are sent, and
 * emptied together. A crash meanwhile sends again what consumers have handled already, which changes nothing.
 * @param waitMs how long an outbox waits for others; 40 ms while documents wait to be sent, which may be because of too many that wait here
 * @param isCrowded whether documents wait
 */
export function outboxClears(db: Database, claims: Claims, waitMs: number, isCrowded: () => boolean): OutboxClears {
  const raw = (collection: string) => db.connection.collection<Pending>(collection)
  const batches = new Map<string, Batch>()
  let isClosing = false

  /** An outbox that holds nothing but events that were sent is emptied, even if its document was written otherwise meanwhile. */
  async function clearBatch(collection: string, batch: readonly Sent[]): Promise<void> {
    const sentIds = batch.flatMap(sent => sent.ids)
    const filter = { ...claims.own, _id: { $in: batch.map(sent => sent.id) }, ...noneBut(sentIds) }
    const cleared =
      db.outboxes.get(collection) === 'transient'
        ? (await raw(collection).deleteMany(filter)).deletedCount
        : (await raw(collection).updateMany(filter, { $set: { outbox: [] }, $unset: { pending: '', lease: '' } })).matchedCount
    const left = cleared === batch.length ? new Map<string, Handoff>() : await claims.uncleared(collection, batch)
    for (const sent of batch) sent.done(left ? (left.get(sent.id) ?? 'cleared') : 'unchanged')
  }

  function batchOf(collection: string): Batch {
    const open = batches.get(collection)
    if (open) return open
    const timer = setTimeout(runWhenDue, isClosing ? 0 : Math.min(shortMs, waitMs), collection)
    const batch = { sent: new Set<Sent>(), timer, endsAt: performance.now() + waitMs }
    batches.set(collection, batch)
    return batch
  }

  function leave(batch: Batch, collection: string, sent: Sent, outcome: ClearOutcome): void {
    if (!batch.sent.delete(sent)) return
    db.sentOutboxes.delete(outboxKey(collection, sent.id))
    sent.done(outcome)
  }

  function run(collection: string): void {
    const { sent, timer } = batches.get(collection)!
    batches.delete(collection)
    clearTimeout(timer)
    // what is being written is left to this write
    for (const { id } of sent) db.sentOutboxes.delete(outboxKey(collection, id))
    for (const batch of chunks(sent)) {
      clearBatch(collection, batch).catch((error: unknown) => {
        for (const { failed } of batch) failed(error)
      })
    }
  }

  function runWhenDue(collection: string): void {
    const batch = batches.get(collection)!
    const leftMs = batch.endsAt - performance.now()
    if (isClosing || isCrowded() || leftMs <= 0) run(collection)
    else batch.timer = setTimeout(runWhenDue, Math.min(shortMs, leftMs), collection)
  }

  return {
    clear: (collection, id, ids) => {
      const batch = batchOf(collection)
      let sent!: Sent
      const done = new Promise<ClearOutcome>((resolve, reject) => {
        sent = { id, ids, done: resolve, failed: reject }
      })
      batch.sent.add(sent)
      db.sentOutboxes.set(outboxKey(collection, id), new Set(ids))
      if (batch.sent.size === manyDocuments) run(collection)
      return {
        done,
        withdraw: () => {
          // one that is being written is in no batch
          if (batches.get(collection) === batch) leave(batch, collection, sent, 'withdrawn')
        },
      }
    },
    removeSent: async (collection, id, ids) => {
      await raw(collection).updateOne({ _id: id }, { $pull: { outbox: { id: { $in: [...ids] } } } })
    },
    emptied: (collection, id) => {
      const batch = batches.get(collection)
      for (const sent of batch?.sent ?? []) if (sent.id === id) leave(batch!, collection, sent, 'cleared')
    },
    waiting: collection => [...(batches.get(collection)?.sent ?? [])].map(({ id }) => id),
    close: () => {
      isClosing = true
      for (const collection of [...batches.keys()]) run(collection)
    },
  }
}

function* chunks(sent: Iterable<Sent>): Generator<Sent[]> {
  let chunk: Sent[] = []
  let size = 0
  for (const one of sent) {
    if (size + one.ids.length > maxIds && chunk.length > 0) {
      yield chunk
      chunk = []
      size = 0
    }
    chunk.push(one)
    size += one.ids.length
  }
  if (chunk.length > 0) yield chunk
}
