import type { Collection, mongo } from 'mongoose'
import type { Database } from './database.ts'

/** One index of a collection, as `createIndexes` of MongoDB accepts it. Its name is its place in the table. */
export interface Index {
  key: Readonly<Record<string, 1 | -1>>
  unique?: boolean
  sparse?: boolean
  partialFilterExpression?: Readonly<Record<string, unknown>>
  /** Deletes a document this many seconds after the date in the indexed field. */
  expireAfterSeconds?: number
}

/**
 * The indexes of a collection by name. A name is never given to another index: data folders contain it.
 * @example const indexes: Indexes = { handle: { key: { handle: 1 }, unique: true }, newest: { key: { createdAt: -1, _id: -1 } } }
 */
export type Indexes = Readonly<Record<string, Index>>

/** Creates those of the table that the collection does not have yet. @throws MongoServerError when one of the same name is another one */
export async function createIndexes(collection: Pick<mongo.Collection, 'createIndexes'>, indexes: Indexes): Promise<void> {
  const specs = Object.entries(indexes).map(([name, { partialFilterExpression, ...index }]) => ({
    ...index,
    name,
    ...(partialFilterExpression ? { partialFilterExpression: { ...partialFilterExpression } } : {}),
  }))
  if (specs.length > 0) await collection.createIndexes(specs)
}

/**
 * A collection with its index table, for one that is opened after the start, which has created the indexes of all others.
 * @example const calls = await openCollection<AdminCall>(db, 'admin_calls', { newest: { key: { at: -1 } } })
 */
export async function openCollection<Row extends mongo.Document>(db: Database, name: string, indexes: Indexes): Promise<Collection<Row>> {
  const rows = db.collection<Row>(name, indexes)
  await createIndexes(rows as unknown as Collection, indexes)
  return rows
}
