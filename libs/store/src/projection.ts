import type { CloudEvent, PageQuery } from '@carapace/api'
import type { ClientSession, mongo } from 'mongoose'
import type { Database } from './database.ts'
import { duplicateIndex } from './errors/duplicate.ts'
import { gathered } from './gathered/gathered.ts'
import type { Indexes } from './indexes.ts'
import type { ShareOf } from './share.ts'
import { openSums, type Sums } from './sums.ts'
import { type Page, totalsOf } from './totals.ts'

export interface ProjectionSpec<Row> {
  collection: string
  indexes?: Indexes
  /** Figures of the whole collection that are stored with it, for `sums`. */
  shareOf?: ShareOf<Partial<Row> & { id: string }>
}

type Stamp = Pick<CloudEvent, 'source' | 'subject' | 'aggregateversion'>

/** Default: all, by id. */
export interface FindOptions {
  sort?: Record<string, 1 | -1>
  limit?: number
  offset?: number
  session?: ClientSession
}

export interface Projection<Row> {
  /**
   * Merges fields that an event carries about `id`. Each field remembers which version of which aggregate last wrote it,
   * so that a late or repeated event never puts an older value back, in any order of events. Events of one moment are one write.
   */
  apply(id: string, fields: Partial<Row>, stamp: Stamp): Promise<void>
  /** As `apply`. Resolves to the row as it is then. */
  applied(id: string, fields: Partial<Row>, stamp: Stamp): Promise<Partial<Row> & { id: string }>
  get(id: string): Promise<(Row & { id: string }) | undefined>
  /** Rows by id, in one read. */
  many(ids: readonly string[]): Promise<Map<string, Row & { id: string }>>
  find(filter: Record<string, unknown>, options?: FindOptions): Promise<(Row & { id: string })[]>
  /** A document of the collection, read past this projection together with others, as a row. */
  rowOf(document: object): Row & { id: string }
  /** One page and the count of all matches. What another process writes counts after 1 s at the latest. */
  page(filter: Record<string, unknown>, page: PageQuery, sort: Record<string, 1 | -1>): Promise<Page<Row & { id: string }>>
  /** The stored figures by name; 0n for one that nothing adds to. */
  sums: Sums<Row>['read']
}

interface StoredRow {
  _id: string
  rev: number
  writers: Record<string, number>
}

/** What an event says about a row. */
interface News {
  id: string
  fields: object
  stamp: Stamp
}

const byId: Record<string, 1 | -1> = { _id: 1 }
/** Half of a row is who wrote its fields: a fifth of what it costs to read some rows. */
const shown = { writers: 0, rev: 0 }
const attempts = 20

/** This service's own read copy of another's facts, fed by events. @example const agents = projection<AgentRow>(db, { collection: 'agents', indexes }) */
export function projection<Row extends object>(db: Database, spec: ProjectionSpec<Row>): Projection<Row> {
  const raw = db.collection<StoredRow & Record<string, unknown>>(spec.collection, spec.indexes)
  const view = (row: StoredRow & Record<string, unknown>) => {
    const { _id, rev, writers, ...fields } = row
    return { id: _id, ...fields } as unknown as Row & { id: string }
  }
  const find: Projection<Row>['find'] = async (filter, { sort = byId, limit = 0, offset = 0, session } = {}) =>
    (await raw.find(filter, { sort, limit, skip: offset, projection: shown, ...(session ? { session } : {}) }).toArray()).map(view)
  const totals = totalsOf(db, spec.collection)
  const all = async function* (session: ClientSession) {
    for await (const row of raw.find({}, { session })) yield view(row)
  }
  const sums = openSums(db, spec.collection, spec.shareOf, all)

  /** One atomic update: each field is compared with its writer where it is stored. undefined: nothing to write. */
  const updateOf = ({ fields, stamp }: News): mongo.Document | undefined => {
    const set: Record<string, unknown> = {}
    for (const [field, value] of Object.entries(fields)) {
      if (value === undefined) continue
      const writer = `writers.${writerKey(stamp, field)}`
      const isNew = { $lt: [{ $ifNull: [`$${writer}`, -1] }, stamp.aggregateversion] }
      set[field] = { $cond: [isNew, { $literal: value }, `$${field}`] }
      set[writer] = { $max: [`$${writer}`, stamp.aggregateversion] }
    }
    if (Object.keys(set).length === 0) return undefined
    set.rev = { $add: [{ $ifNull: ['$rev', 0] }, 1] }
    return { $set: set }
  }
  const writeAll = async (all: readonly News[]): Promise<undefined[]> => {
    const updates = all.flatMap(news => {
      const update = updateOf(news)
      return update ? [{ updateOne: { filter: { _id: news.id }, update: [update], upsert: true } }] : []
    })
    for (let attempt = 1; updates.length > 0; attempt++) {
      try {
        await raw.bulkWrite(updates, { ordered: false })
        break
      } catch (error) {
        // two made a row at the same time; what was written is written again, to the same effect
        if (duplicateIndex(error) === undefined || attempt === attempts) throw error
      }
    }
    totals.forget()
    return all.map(() => undefined)
  }
  const write = gathered(writeAll)
  const writeAndRead = gathered(async (all: readonly News[]) => {
    const [only, ...others] = all
    const update = others.length === 0 && updateOf(only!)
    if (update) return [rowOf(only!, await findOneAndUpdate(only!.id, update))]
    await writeAll(all)
    const rows = await raw.find({ _id: { $in: all.map(({ id }) => id) } }).toArray()
    return all.map(news =>
      rowOf(
        news,
        rows.find(row => row._id === news.id),
      ),
    )
  })
  const rowOf = ({ id }: News, row: (StoredRow & Record<string, unknown>) | null | undefined) =>
    row ? view(row) : ({ id } as Partial<Row> & { id: string })
  const findOneAndUpdate = async (id: string, update: mongo.Document) => {
    for (let attempt = 1; ; attempt++) {
      try {
        const row = await raw.findOneAndUpdate({ _id: id }, [update], { upsert: true, returnDocument: 'after' })
        totals.forget()
        return row as StoredRow & Record<string, unknown>
      } catch (error) {
        if (duplicateIndex(error) === undefined || attempt === attempts) throw error
      }
    }
  }

  /** With figures: one transaction for each row. */
  const applyWithSums: Projection<Row>['applied'] = async (id, fields, stamp) => {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const row = await raw.findOne({ _id: id })
      const writers = row?.writers ?? {}
      const news = Object.entries(fields).filter(
        ([field, value]) => value !== undefined && (writers[writerKey(stamp, field)] ?? -1) < stamp.aggregateversion,
      )
      if (news.length === 0) return row ? view(row) : ({ id } as Partial<Row> & { id: string })
      const set: Record<string, unknown> = { ...Object.fromEntries(news), rev: (row?.rev ?? 0) + 1 }
      for (const [field] of news) set[`writers.${writerKey(stamp, field)}`] = stamp.aggregateversion
      try {
        const filter: Record<string, unknown> = { _id: id, rev: row ? row.rev : { $exists: false } }
        const after = { ...(row && view(row)), ...Object.fromEntries(news), id } as Row & { id: string }
        const isWritten = await sums.write(row ? view(row) : undefined, after, undefined, async session => {
          const { matchedCount, upsertedCount } = await raw.updateOne(filter, { $set: set }, { upsert: !row, ...session })
          return matchedCount + upsertedCount === 1
        })
        totals.forget()
        if (isWritten) return after
      } catch (error) {
        if (duplicateIndex(error) === undefined) throw error
      }
    }
    throw new Error(`projection ${spec.collection}/${id} is written by too many at the same time`)
  }

  return {
    apply: async (id, fields, stamp) => void (await (spec.shareOf ? applyWithSums(id, fields, stamp) : write({ id, fields, stamp }))),
    applied: (id, fields, stamp) => (spec.shareOf ? applyWithSums(id, fields, stamp) : writeAndRead({ id, fields, stamp })),
    get: async id => {
      const row = await raw.findOne({ _id: id })
      return row ? view(row) : undefined
    },
    many: async ids => {
      if (ids.length === 0) return new Map()
      const rows = await raw.find({ _id: { $in: [...ids] } }, { projection: shown }).toArray()
      return new Map(rows.map(row => [row._id, view(row)]))
    },
    find,
    rowOf: document => view(document as StoredRow & Record<string, unknown>),
    sums: () => sums.read(),
    page: (filter, page, sort) => totals.page(filter, page, () => find(filter, { ...page, sort })),
  }
}

/** Two aggregates of one service may write the same row (an agent's score, its bond): each has its own count of versions. */
function writerKey(stamp: Stamp, field: string): string {
  return `${field}@${stamp.source.split('/').at(-1)}:${stamp.subject}`
}
