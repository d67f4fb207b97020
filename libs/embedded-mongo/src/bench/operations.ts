import type { Collection, Document, MongoClient } from 'mongodb'

export const documentCount = 5_000

export interface Operation {
  name: string
  clients: number
  run(target: Target, i: number): Promise<unknown>
}

export interface Target {
  client: MongoClient
  items: Collection<Document & { _id: number }>
  /** Receives the inserts, so that the other operations always meet the same documents. It has the same indexes. */
  inserted: Collection<Document & { _id: number }>
  log: Collection
}

export const pick = (i: number): number => (i * 7_919) % documentCount

/** The rows of the table: what a service does all day, alone and with 32 requests in flight. */
export const operations: readonly Operation[] = [
  { name: 'insertOne', clients: 1, run: insertOne },
  { name: 'findOne _id', clients: 1, run: findById },
  { name: 'updateOne _id', clients: 1, run: updateOne },
  { name: 'transaction (2 updates + insert)', clients: 1, run: transaction },
  { name: 'insertOne', clients: 32, run: insertOne },
  { name: 'findOne _id', clients: 32, run: findById },
  { name: 'findOne unique index', clients: 32, run: ({ items }, i) => items.findOne({ email: `user${pick(i)}@example.org` }) },
  { name: 'findOne secondary index', clients: 32, run: ({ items }, i) => items.findOne({ group: pick(i) % 500 }) },
  {
    name: 'range + sort + limit 20',
    clients: 32,
    run: ({ items }, i) =>
      items
        .find({ n: { $gte: pick(i) } })
        .sort({ n: 1 })
        .limit(20)
        .toArray(),
  },
  { name: 'updateOne _id', clients: 32, run: updateOne },
  { name: 'findOneAndUpdate', clients: 32, run: ({ items }, i) => items.findOneAndUpdate({ _id: pick(i) }, { $inc: { hits: 1 } }) },
  { name: 'transaction (2 updates + insert)', clients: 32, run: transaction },
  {
    name: '$match 1,000 + $group',
    clients: 1,
    run: ({ items }) =>
      items.aggregate([{ $match: { group: { $lt: 100 } } }, { $group: { _id: '$status', total: { $sum: '$n' }, count: { $sum: 1 } } }]).toArray(),
  },
]

/** Fills an engine with the documents that the operations work on. */
export async function prepare(client: MongoClient): Promise<Target> {
  const db = client.db('bench')
  const items = db.collection<Document & { _id: number }>('items')
  const log = db.collection('log')
  const inserted = db.collection<Document & { _id: number }>('inserted')
  for (const collection of [items, inserted]) {
    await collection.createIndexes([
      { key: { email: 1 }, name: 'email_1', unique: true },
      { key: { group: 1 }, name: 'group_1' },
      { key: { n: 1 }, name: 'n_1' },
    ])
  }
  await items.insertMany(Array.from({ length: documentCount }, (_, i) => item(i)))
  return { client, items, inserted, log }
}

export function item(i: number): Document & { _id: number } {
  return {
    _id: i,
    email: `user${i}@example.org`,
    group: i % 500,
    n: i,
    status: ['open', 'closed', 'held'][i % 3],
    tags: ['alpha', 'beta', 'gamma'],
    note: 'x'.repeat(150),
    hits: 0,
  }
}

let lastInserted = documentCount

function insertOne({ inserted }: Target): Promise<unknown> {
  lastInserted += 1
  return inserted.insertOne(item(lastInserted))
}

function findById({ items }: Target, i: number): Promise<unknown> {
  return items.findOne({ _id: pick(i) })
}

function updateOne({ items }: Target, i: number): Promise<unknown> {
  return items.updateOne({ _id: pick(i) }, { $inc: { hits: 1 }, $set: { status: 'held' } })
}

function transaction({ client, items, log }: Target, i: number): Promise<unknown> {
  return client.withSession(session =>
    session.withTransaction(async () => {
      await items.updateOne({ _id: pick(2 * i) }, { $inc: { hits: -1 } }, { session })
      await items.updateOne({ _id: pick(2 * i + 1) }, { $inc: { hits: 1 } }, { session })
      await log.insertOne({ from: pick(2 * i), to: pick(2 * i + 1) }, { session })
    }),
  )
}
