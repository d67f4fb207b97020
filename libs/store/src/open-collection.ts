import type { Collection, mongo } from 'mongoose'
import type { Database } from './database.ts'
import { createIndexes, type Indexes } from './indexes.ts'

/**
 * A collection with its index table, for one that is opened after the start, which has created the indexes of all others.
 * @example const calls = await openCollection<AdminCall>(db, 'admin_calls', { newest: { key: { at: -1 } } })
 */
export async function openCollection<Row extends mongo.Document>(db: Database, name: string, indexes: Indexes): Promise<Collection<Row>> {
  const rows = db.collection<Row>(name, indexes)
  await createIndexes(rows as unknown as Collection, indexes)
  return rows
}
