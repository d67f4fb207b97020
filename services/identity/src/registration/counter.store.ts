import type { Database } from '@carapace/store'

export interface Counter {
  /** The next number, over all replicas; what a caller does not use leaves a gap. */
  next(): Promise<number>
  /** The last number that was given; 0 before the first. */
  last(): Promise<number>
}

/** Numbers that rise by one with each call. */
export function counter(db: Database, name: string): Counter {
  const counters = () => db.connection.collection<{ _id: string; last: number }>('counters')
  return {
    next: async () => {
      const document = await counters().findOneAndUpdate({ _id: name }, { $inc: { last: 1 } }, { upsert: true, returnDocument: 'after' })
      return Number(document!.last)
    },
    last: async () => Number((await counters().findOne({ _id: name }))?.last ?? 0),
  }
}
