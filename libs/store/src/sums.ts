import type { ClientSession, mongo } from 'mongoose'
import type { Database } from './database.ts'
import { pool } from './pool.ts'
import { allOf, type Difference, difference, plus, type ShareOf } from './share.ts'
import { registerAudit } from './sums-audit.ts'
import { longTransactionLimitMs } from './transaction.ts'

/** Figures of a whole collection, written together with its documents: reading them costs the same however many there are. */
export interface Sums<T> {
  /** Runs `work`, which writes one document unless it answers false; where that changes a figure, both are one transaction. undefined = no document. */
  write(before: T | undefined, after: T | undefined, session: ClientSession | undefined, work: Write): Promise<boolean>
  /** The same for new documents that `work` writes together. */
  writeNew(documents: readonly T[], session: ClientSession, work: Write): Promise<boolean>
  /** Whether a write changes a figure. */
  differ(before: T, after: T): boolean
  /** The figures by name; 0n for one that nothing adds to. Added up from the documents when they were never stored, or were deleted. */
  read(): Promise<Figures>
}
/** One figure by its name, and the names of those that something has added to. */
type Figures = ((name: string) => bigint) & { names(): string[] }
type Write = (options: { session?: ClientSession }) => Promise<boolean>

interface Row {
  /** `<collection>/<part>`. */
  _id: string
  /** Everything that was there before the sums is in them. */
  isComplete?: boolean
  /** How the members are stored: rows of another form are added up again. */
  form?: number
  of: Record<string, bigint>
}
interface Member {
  _id: string
  /** How many documents name it. */
  documents: bigint
}

const form = 2
/** Forms of the members that each form of the shares has room for. */
const formsPerShare = 100
/** Rows that the figures of one collection are spread over, so that writers at the same time seldom meet in one. */
const partCount = 8
const mostNamed = 10_000

/**
 * The figures of one collection.
 * @param all every document of it, as `shareOf` accepts them
 * @param shareForm another one adds them up again
 */
export function openSums<T>(
  db: Database,
  collection: string,
  shareOf: ShareOf<T> | undefined,
  all: (session: ClientSession) => AsyncIterable<T>,
  shareForm = 0,
): Sums<T> {
  if (!shareOf) return noSums
  const ownForm = form + formsPerShare * shareForm
  const rows = db.collection<Row>('sums')
  const members = db.collection<Member>('sums')
  const parts = Array.from({ length: partCount }, (_, part) => `${collection}/${part}`)
  const membersName = `${collection}/members`
  // all of this collection: "0" comes next after "/"
  const ownMembers = { _id: { $gte: `${membersName}/`, $lt: `${membersName}0` } }
  const idOf = (set: string, member: string) => `${membersName}/${set}/${member}`

  const storedParts = async (session?: ClientSession): Promise<Row[] | undefined> => {
    const found = await rows.find({ _id: { $in: parts }, isComplete: true, form: ownForm }, session ? { session } : {}).toArray()
    return found.length === partCount ? found : undefined
  }

  registerAudit(db, {
    collection,
    stored: async session => {
      const found = await storedParts(session)
      return found && totalOf(found)
    },
    members: async function* (session) {
      for await (const { _id, documents } of members.find(ownMembers, { session })) {
        const [set = '', ...member] = _id.slice(membersName.length + 1).split('/')
        yield { set, member: member.join('/'), documents }
      }
    },
    shares: async function* (session) {
      for await (const document of all(session)) yield shareOf(document)
    },
  })

  let adding: Promise<void> | undefined
  /** All in one transaction: a writer that adds meanwhile writes the same rows, so one of the two begins again. */
  const addUp = () =>
    db.transaction(async session => {
      if (await storedParts(session)) return
      const of = new Map<string, bigint>()
      const counts = new Map<string, bigint>()
      for await (const document of all(session)) {
        const change = difference({}, shareOf(document))
        for (const [name, by] of change.sums) plus(of, name, by)
        for (const { set, member, by } of change.members) {
          if (!counts.has(idOf(set, member))) plus(of, set, 1n)
          plus(counts, idOf(set, member), by)
        }
      }
      await members.deleteMany(ownMembers, { session })
      const named = [...counts].map(([_id, documents]) => ({ _id, documents }))
      if (named.length) await members.insertMany(named, { session })
      for (const [part, _id] of parts.entries())
        await rows.replaceOne({ _id }, { isComplete: true, form: ownForm, of: part === 0 ? Object.fromEntries(of) : {} }, { session, upsert: true })
    }, longTransactionLimitMs)

  /** Two writers of one row would make one of them begin again: those of this process run one after another, in an order that others rarely have too. */
  const ownParts = pool(parts.toSorted(() => Math.random() - 0.5))
  /** Members that were named not long ago, and so probably are: another one is expected to be new, and its figure is written with it. */
  const named = new Set<string>()
  const remember = (id: string) => {
    named.delete(id)
    named.add(id)
    if (named.size > mostNamed) named.delete(named.values().next().value!)
  }
  const add = async (change: Difference, part: string, session: ClientSession) => {
    const [added, removed] = [change.members.filter(({ by }) => by > 0n), change.members.filter(({ by }) => by < 0n)]
    const updates = added.map(({ set, member, by }) => ({
      updateOne: { filter: { _id: idOf(set, member) }, update: { $inc: { documents: by } }, upsert: true },
    }))
    const isNew = (set: string, member: string) => !named.has(idOf(set, member))
    const expected = new Map(change.sums)
    for (const { set, member } of added) if (isNew(set, member)) plus(expected, set, 1n)
    // the row of the figures is the last that a transaction locks
    const isLast = removed.length === 0 && expected.size > 0
    const ofSums = isLast ? [{ updateOne: { filter: { _id: part }, update: incOf(expected), upsert: true } }] : []
    const inc = new Map(isLast ? [] : change.sums)
    if (updates.length + ofSums.length > 0) {
      const { upsertedIds } = await rows.bulkWrite([...updates, ...ofSums] as mongo.AnyBulkWriteOperation<Row>[], { session })
      for (const [at, { set, member }] of added.entries()) {
        // one that no document names any more is deleted: what is made is named for the first time
        const difference = (at in upsertedIds ? 1n : 0n) - (isLast && isNew(set, member) ? 1n : 0n)
        if (difference !== 0n) plus(inc, set, difference)
      }
      for (const { set, member } of added) remember(idOf(set, member))
    }
    for (const { set, member, by } of removed) {
      const _id = idOf(set, member)
      const row = await members.findOneAndUpdate({ _id }, { $inc: { documents: by } }, { session, upsert: true, returnDocument: 'after' })
      if (row?.documents !== 0n) continue
      plus(inc, set, by)
      await members.deleteOne({ _id }, { session })
    }
    if (inc.size > 0) await rows.updateOne({ _id: part }, incOf(inc), { session, upsert: true })
  }

  const write = (change: Difference, session: ClientSession | undefined, work: Write): Promise<boolean> => {
    if (isNone(change)) return work(session ? { session } : {})
    const both = async (own: ClientSession, part: string) => {
      const isWritten = await work({ session: own })
      if (isWritten) await add(change, part, own)
      return isWritten
    }
    if (session) return both(session, parts[Math.floor(Math.random() * partCount)]!)
    return ownParts.use(part => db.transaction(own => both(own, part)))
  }

  return {
    write: (before, after, session, work) => write(difference(before ? shareOf(before) : {}, after ? shareOf(after) : {}), session, work),
    differ: (before, after) => !isNone(difference(shareOf(before), shareOf(after))),
    writeNew: (documents, session, work) => write(allOf(documents.map(document => difference({}, shareOf(document)))), session, work),
    read: async () => {
      let found = await storedParts()
      while (!found) {
        adding ??= addUp().finally(() => {
          adding = undefined
        })
        await adding
        found = await storedParts()
      }
      const present = totalOf(found)
      return Object.assign((name: string) => present.get(name) ?? 0n, { names: () => [...present.keys()] })
    },
  }
}

const incOf = (sums: ReadonlyMap<string, bigint>) => ({ $inc: Object.fromEntries([...sums].map(([name, by]) => [`of.${name}`, by])) })

const isNone = ({ sums, members }: Difference): boolean => sums.size === 0 && members.length === 0

/** The figures by name, of all rows together. */
function totalOf(rows: readonly Row[]): Map<string, bigint> {
  const totals = new Map<string, bigint>()
  for (const { of } of rows) for (const [name, by] of Object.entries(of)) plus(totals, name, by)
  return totals
}

/** Of a collection without figures. */
const noSums: Sums<unknown> = {
  write: (_before, _after, session, work) => work(session ? { session } : {}),
  writeNew: (_documents, session, work) => work({ session }),
  differ: () => false,
  read: async () => Object.assign(() => 0n, { names: () => [] }),
}
