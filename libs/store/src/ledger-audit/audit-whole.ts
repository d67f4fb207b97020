import type { ClientSession, Collection } from 'mongoose'
import { longTransactionLimitMs } from '../transaction.ts'
import { type Account, addChanges, type Books, belowZero, differing, type Entry, imbalanced, imbalanceOf, sumOf } from './books.ts'

const sliceSize = 1_000

/** What is wrong anywhere in a ledger, as sentences. Reads all of it, in slices. */
export async function auditWhole(books: Books): Promise<string[]> {
  const { db, entries, accounts, mayBeNegative } = books
  const faults: string[] = []
  const sums = new Map<string, bigint>()
  for await (const entry of slices<Entry>(entries)) {
    const imbalance = imbalanceOf(entry)
    if (imbalance !== 0n) faults.push(imbalanced(entry, imbalance))
    addChanges(sums, entry)
  }
  const suspects: string[] = []
  for await (const { _id, account, balance } of slices<Account>(accounts)) {
    if (balance !== (sums.get(_id) ?? 0n)) suspects.push(_id)
    if (balance < 0n && !mayBeNegative(account)) faults.push(belowZero(_id, balance))
  }
  // movements go on meanwhile: an account that differs is compared again in one snapshot
  for (const suspect of suspects) faults.push(...(await db.transaction(session => faultOf(books, suspect, session), longTransactionLimitMs)))
  return faults
}

async function faultOf(books: Books, id: string, session: ClientSession): Promise<string[]> {
  const sum = await sumOf(books, id, session)
  const held = (await books.accounts.findOne({ _id: id }, { session }))?.balance ?? 0n
  return held === sum ? [] : [differing(id, held, sum)]
}

/** All documents, by their ids: no cursor of the database is held for longer than one slice. */
async function* slices<Row extends { _id: string }>(collection: Collection<Row>): AsyncGenerator<Row> {
  for (let after = ''; ; ) {
    let count = 0
    for await (const row of collection.find({ _id: { $gt: after } } as never, { sort: { _id: 1 }, limit: sliceSize }) as AsyncIterable<Row>) {
      count++
      after = row._id
      yield row
    }
    if (count < sliceSize) return
  }
}
