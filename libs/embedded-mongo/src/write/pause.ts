import type { Found } from '../read/found.ts'
import { checkDeadline, type Tick, tick } from '../sessions/deadline.ts'
import type { Storage } from '../storage/storage.ts'
import type { Txn } from '../storage/txn.ts'

/** How long a command may work outside of a commit before it lets others work, in milliseconds. */
export const sliceMs = 20

/** Thrown by the step of a write that has worked long enough. `work` is done outside of the commit, then the step is called again and continues. */
export class Pause extends Error {
  readonly work: () => Promise<void>

  constructor(work: () => Promise<void> = giveWay) {
    super('others first')
    this.work = work
  }
}

/** Whether a step of a write should pause, if it has got on. In a transaction, which is in no commit before its end, a slice begins with this call. */
export function sliceOf({ storage, txn }: { storage: Storage; txn?: Txn }): () => boolean {
  if (!txn) return storage.isLong
  const end = Date.now() + sliceMs
  return () => Date.now() >= end
}

/** Treats everything that a search finds, and lets others work in between. @throws MongoError 50 at the deadline */
export async function eachInSlices(stream: Iterable<Found | Tick>, deadline: number, treat: (found: Found) => void): Promise<void> {
  let sliceEnd = Date.now() + sliceMs
  for (const found of stream) {
    if (found !== tick) treat(found)
    else if (Date.now() > sliceEnd) {
      checkDeadline(deadline)
      await giveWay()
      sliceEnd = Date.now() + sliceMs
    }
  }
}

/** Resolves when the event loop has served what was waiting. */
export function giveWay(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
