import type { Database } from '@carapace/store'

/** Numbers that rise by one with each call, over all replicas; what a caller does not use leaves a gap. */
export function counter(db: Database, name: string): () => Promise<number> {
  const counters = () => db.connection.collection<{ _id: string; last: number }>('counters')
  return async () => {
    const document = await counters().findOneAndUpdate({ _id: name }, { $inc: { last: 1 } }, { upsert: true, returnDocument: 'after' })
    return Number(document!.last)
  }
}
