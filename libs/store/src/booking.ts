import type { ClientSession } from 'mongoose'
import type { Database } from './database.ts'
import type { LedgerEntry } from './ledger-audit/entry.ts'
import { transact } from './transact.ts'

/** What posts: a ledger, or a service's own `post` on top of one that updates its side figures or chooses accounts by their balance. */
export interface Poster<P> {
  /** Resolves to false when the posting's key was posted before (nothing changes). @throws what refuses the write, INSUFFICIENT_BALANCE for one */
  post(posting: P, session: ClientSession): Promise<boolean>
}

/** What a write of an aggregate does beyond its own document. A write that does any of it is one transaction with it; another one needs none. */
export interface Booking<T, D, P = LedgerEntry> {
  ledger?: Poster<P>
  /** What the ledger is to hold of a change; `before` is undefined for a new aggregate, `decision` for one that `create` stores. Pure. */
  postings?(before: T | undefined, after: T, decision: D | undefined): readonly P[]
  /** Other documents that belong to the change. undefined = none. */
  alongside?(before: T | undefined, after: T, decision: D | undefined): ((session: ClientSession) => Promise<unknown>) | undefined
  /** Lines up the transactions of this process that write documents in common: together they would make each other begin again. */
  serialize?<R>(after: T, work: () => Promise<R>): Promise<R>
}

/** Writes one document with the session given; false when it did not get to write. */
export type Write = (options: { session?: ClientSession }) => Promise<boolean>

/** A change as it is about to be written. */
export interface Change<T, D> {
  before: T | undefined
  after: T
  decision: D | undefined
  session: ClientSession | undefined
}

/** `write` runs a write with all that its change books, or with nothing else when that is nothing. */
export function bookingOf<T, D, P>(
  db: Database,
  collection: string,
  spec: Booking<T, D, P>,
): { isNothing(before: T, after: T, decision: D): boolean; write(change: Change<T, D>, write: Write): Promise<boolean> } {
  const serialize = spec.serialize ?? ((_, work) => work())
  const post = async (posting: P, session: ClientSession) => {
    if (!spec.ledger) throw new Error(`${collection} has postings and no ledger`)
    // the guard of the document makes this impossible: a state is left once
    if (!(await spec.ledger.post(posting, session))) throw new Error(`a posting of ${collection} is in the ledger already: ${keyOf(posting)}`)
  }
  const bookedBy = (...change: [T | undefined, T, D | undefined]) => {
    const postings = spec.postings?.(...change) ?? []
    const writeOthers = spec.alongside?.(...change)
    return postings.length === 0 && !writeOthers ? undefined : { postings, writeOthers }
  }
  return {
    isNothing: (...change) => bookedBy(...change) === undefined,
    write: async ({ before, after, decision, session }, write) => {
      const booked = bookedBy(before, after, decision)
      if (!booked) return write(session ? { session } : {})
      const all = async (own: ClientSession) => {
        const isWritten = await write({ session: own })
        if (!isWritten) return false
        for (const posting of booked.postings) await post(posting, own)
        await booked.writeOthers?.(own)
        return true
      }
      return session ? all(session) : serialize(after, () => transact({ db }, all))
    },
  }
}

const keyOf = (posting: unknown): string => String((posting as { key?: unknown }).key)
