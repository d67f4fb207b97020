import type { Database } from '@carapace/store'

export interface Counter {
  /** The next number, over all replicas; what a caller does not use leaves a gap. */
  next(): Promise<number>
  /** The last number that was claimed; 0 before the first. */
  last(): Promise<number>
}

/** Numbers that one write claims where no other process does: those of them that are not given before the process ends are a gap. */
const soleClaim = 16

/** Numbers that rise with each call. */
export function counter(db: Database, name: string): Counter {
  const counters = () => db.connection.collection<{ _id: string; last: number }>('counters')
  const size = db.exclusive ? soleClaim : 1
  let claimed: number[] = []
  let claiming: Promise<void> | undefined
  const claim = async () => {
    const document = await counters().findOneAndUpdate({ _id: name }, { $inc: { last: size } }, { upsert: true, returnDocument: 'after' })
    const last = Number(document!.last)
    claimed = Array.from({ length: size }, (_, at) => last - size + 1 + at)
  }
  return {
    next: async () => {
      for (;;) {
        const number = claimed.shift()
        if (number !== undefined) return number
        claiming ??= claim().finally(() => {
          claiming = undefined
        })
        await claiming
      }
    },
    last: async () => Number((await counters().findOne({ _id: name }))?.last ?? 0),
  }
}
