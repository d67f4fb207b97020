import type { Database } from '../database.ts'
import type { Claims, Pending } from './claims.ts'

interface Sent {
  id: string
  ids: readonly string[]
  done: (cleared: boolean) => void
  failed: (error: unknown) => void
}

/** Event ids in one filter: each outbox is compared with all of them. */
const maxIds = 1_000

/**
 * Empties outboxes after the confirm, all of one moment by one call of the database.
 * Resolves with false when some of them could not be emptied (a newer event came, a lease was lost): then `removeSent` removes what was sent.
 */
export function outboxClears(db: Database, claims: Claims) {
  const raw = (collection: string) => db.connection.collection<Pending>(collection)
  const batches = new Map<string, Sent[]>()

  /** An outbox that holds nothing but events that were sent is emptied, even if its document was written otherwise meanwhile. */
  async function clearBatch(collection: string, batch: readonly Sent[]): Promise<void> {
    const sentIds = batch.flatMap(sent => sent.ids)
    const filter = { ...claims.own, _id: { $in: batch.map(sent => sent.id) }, outbox: { $not: { $elemMatch: { id: { $nin: sentIds } } } } }
    const cleared =
      db.outboxes.get(collection) === 'delete'
        ? (await raw(collection).deleteMany(filter)).deletedCount
        : (await raw(collection).updateMany(filter, { $set: { outbox: [] }, $unset: { pending: '', lease: '' } })).matchedCount
    for (const sent of batch) sent.done(cleared === batch.length)
  }

  function run(collection: string): void {
    const sent = batches.get(collection) ?? []
    batches.delete(collection)
    for (const batch of chunks(sent)) {
      clearBatch(collection, batch).catch((error: unknown) => {
        for (const { failed } of batch) failed(error)
      })
    }
  }

  return {
    clear: (collection: string, id: string, ids: readonly string[]): Promise<boolean> =>
      new Promise((resolve, reject) => {
        const sent = { id, ids, done: resolve, failed: reject }
        const batch = batches.get(collection)
        if (batch) {
          batch.push(sent)
          return
        }
        batches.set(collection, [sent])
        setImmediate(run, collection)
      }),
    removeSent: async (collection: string, id: string, ids: readonly string[]): Promise<void> => {
      await raw(collection).updateOne({ _id: id }, { $pull: { outbox: { id: { $in: [...ids] } } } })
    },
  }
}

function* chunks(sent: readonly Sent[]): Generator<Sent[]> {
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
