import type { ClientSession } from 'mongoose'
import { longTransactionLimitMs } from '../transaction.ts'
import { addChanges, type Books, belowZero, differing, type Entry, imbalanced, imbalanceOf, sumOf } from './books.ts'

/** An entry that is younger may have been written by a transaction that others have overtaken: none lasts so long, and clocks differ by less. */
const settledMs = 5 * 60_000
const sliceSize = 1_000
/** Accounts that are compared although nothing has moved on them. */
const othersPerRun = 500

/** The last entry that is part of the stored sums, in the order of their times. */
interface Position {
  at: Date
  key: string
}
type PositionRow = Position & { _id: 'position' }
/** What the entries up to the position add up to on one account. */
interface SumRow {
  _id: string
  sum: bigint
}

const start: Position = { at: new Date(0), key: '' }
const isAfter = ({ at, key }: Position, entry: Pick<Entry, 'at' | '_id'>): boolean =>
  entry.at > at || (entry.at.getTime() === at.getTime() && entry._id > key)
const positionOf = ({ at, _id: key }: Entry): Position => ({ at, key })

/**
 * Audits a ledger again and again at the price of what is new. The entries of before are in sums of their accounts, which are stored with the entry that they
 * reach to; only younger ones are read, and the accounts which those have changed are compared, with some others, round after round. A difference counts
 * only where all entries of the account say so in one snapshot; else the sum is corrected. The sums never pass an entry that does not balance.
 */
export function newsAudit(books: Books): () => Promise<string[]> {
  const { db, entries, accounts, mayBeNegative } = books
  const positions = db.collection<PositionRow>('ledger_checkpoints')
  const sums = db.collection<SumRow>('ledger_checkpoints')
  let wrong: string[] = []
  let comparedUpTo = ''

  const position = async (session?: ClientSession): Promise<Position> =>
    (await positions.findOne({ _id: 'position' }, session ? { session } : {})) ?? start

  /** The next entries after a position, none later than `until`. */
  const next = async ({ at, key }: Position, until?: Date, session?: ClientSession): Promise<Entry[]> => {
    const options = session ? { session } : {}
    const same = await entries.find({ at, _id: { $gt: key } }, { sort: { _id: 1 }, limit: sliceSize, ...options }).toArray()
    if (same.length === sliceSize) return same
    const later = { at: { $gt: at, ...(until ? { $lte: until } : {}) } }
    return [...same, ...(await entries.find(later, { sort: { at: 1, _id: 1 }, limit: sliceSize - same.length, ...options }).toArray())]
  }

  /** Adds one slice of entries to the sums. */
  const moveOn = (until: Date) =>
    db.transaction(async session => {
      const found = await next(await position(session), until, session)
      const faulty = found.findIndex(entry => imbalanceOf(entry) !== 0n)
      const added = faulty < 0 ? found : found.slice(0, faulty)
      const last = added.at(-1)
      if (!last) return { moved: [], isMore: false }
      const by = new Map<string, bigint>()
      for (const entry of added) addChanges(by, entry)
      const updates = [...by].map(([_id, change]) => ({ updateOne: { filter: { _id }, update: { $inc: { sum: change } }, upsert: true } }))
      if (updates.length > 0) await sums.bulkWrite(updates, { session })
      await positions.replaceOne({ _id: 'position' }, positionOf(last), { session, upsert: true })
      return { moved: [...by.keys()], isMore: faulty < 0 && found.length === sliceSize }
    }, longTransactionLimitMs)

  /** What entries that are no part of the sums yet change, and what is wrong with them. */
  const readRecent = async () => {
    const recent = new Map<string, bigint>()
    const faults: string[] = []
    for (let from = await position(); ; ) {
      const found = await next(from)
      for (const entry of found) {
        const imbalance = imbalanceOf(entry)
        if (imbalance !== 0n) faults.push(imbalanced(entry, imbalance))
        addChanges(recent, entry)
      }
      if (found.length < sliceSize) return { recent, faults }
      from = positionOf(found.at(-1)!)
    }
  }

  const nextOthers = async (): Promise<string[]> => {
    const found = await accounts.find({ _id: { $gt: comparedUpTo } }, { sort: { _id: 1 }, limit: othersPerRun, projection: { _id: 1 } }).toArray()
    comparedUpTo = found.length < othersPerRun ? '' : found.at(-1)!._id
    return found.map(({ _id }) => _id)
  }

  const compare = async (ids: readonly string[], recent: ReadonlyMap<string, bigint>) => {
    const where = { _id: { $in: [...ids] } }
    const [held, stored] = await Promise.all([accounts.find(where).toArray(), sums.find(where).toArray()])
    const balances = new Map(held.map(({ _id, balance }) => [_id, balance]))
    const before = new Map(stored.map(({ _id, sum }) => [_id, sum]))
    const isDifferent = (id: string) => (balances.get(id) ?? 0n) !== (before.get(id) ?? 0n) + (recent.get(id) ?? 0n)
    const overdrawn = held.filter(({ account, balance }) => balance < 0n && !mayBeNegative(account))
    return { suspects: ids.filter(isDifferent), overdrawn }
  }

  /** Movements go on meanwhile: one that differs is compared again in one snapshot. */
  const faultOf = (id: string): Promise<string[]> =>
    db.transaction(async session => {
      const held = (await accounts.findOne({ _id: id }, { session }))?.balance ?? 0n
      const stored = (await sums.findOne({ _id: id }, { session }))?.sum ?? 0n
      const reached = await position(session)
      const recent = await sumOf(books, id, session, { since: reached.at, isCounted: entry => isAfter(reached, entry) })
      if (held === stored + recent) return []
      const whole = await sumOf(books, id, session)
      if (held !== whole) return [differing(id, held, whole)]
      await sums.updateOne({ _id: id }, { $set: { sum: whole - recent } }, { session, upsert: true })
      return []
    }, longTransactionLimitMs)

  return async () => {
    const until = new Date(db.clock.now().getTime() - settledMs)
    const compared = new Set(wrong)
    for (let isMore = true; isMore; ) {
      const step = await moveOn(until)
      for (const id of step.moved) compared.add(id)
      isMore = step.isMore
    }
    const { recent, faults } = await readRecent()
    for (const id of [...recent.keys(), ...(await nextOthers())]) compared.add(id)
    const all = [...compared]
    wrong = []
    for (let from = 0; from < all.length; from += sliceSize) {
      const found = await compare(all.slice(from, from + sliceSize), recent)
      faults.push(...found.overdrawn.map(({ _id, balance }) => belowZero(_id, balance)))
      wrong.push(...found.overdrawn.map(({ _id }) => _id))
      for (const suspect of found.suspects) {
        const own = await faultOf(suspect)
        if (own.length > 0) wrong.push(suspect)
        faults.push(...own)
      }
    }
    return faults
  }
}
