import type { Collection, mongo } from 'mongoose'
import type { Envelope, Stored } from '../aggregate-document.ts'
import type { Database } from '../database.ts'
import type { Recent } from '../recent/recent.ts'

/** Documents of another collection that are read with those of a store. */
export interface Joined {
  collection: string
  pipeline: mongo.Document[]
}

interface Parts<T> {
  db: Database
  raw: Collection<Envelope>
  recent: Recent
  read(document: Envelope): Stored<T>
}
type Found<T> = { found: Map<string, Stored<T>>; joined: mongo.Document[] }

/** Reads several documents at a time, those that the work in hand knows already excepted. */
export function readsOfMany<T>({ db, raw, recent, read }: Parts<T>) {
  const readAll = async (ids: readonly string[], fetch: (unknown: string[]) => Promise<Fetched>): Promise<Found<T>> => {
    const wanted = [...new Set(ids)]
    const cached = wanted.flatMap(id => recent.exact(id) ?? [])
    const found = new Set(cached.map(({ _id }) => _id))
    const reading = recent.begin()
    const { documents, joined } = await fetch(wanted.filter(id => !found.has(id)))
    for (const document of documents) recent.put(document, reading)
    return { found: new Map([...cached, ...documents].map(document => [document._id, read(document)])), joined }
  }

  return {
    cached: (ids: readonly string[]): Map<string, Stored<T>> =>
      new Map((db.exclusive ? ids : []).flatMap(id => recent.get(id) ?? []).map(document => [document._id, read(document)])),
    many: async (ids: readonly string[]): Promise<Map<string, Stored<T>>> => {
      const fetch = async (unknown: string[]) => ({ documents: unknown.length === 0 ? [] : await byId(raw, unknown), joined: [] })
      return (await readAll(ids, fetch)).found
    },
    manyWith: (ids: readonly string[], { collection: coll, pipeline }: Joined): Promise<Found<T>> =>
      readAll(ids, async unknown => {
        if (unknown.length === 0) return { documents: [], joined: await db.connection.collection(coll).aggregate(pipeline).toArray() }
        // what is joined is wrapped: its fields may have any name
        const wrapped = [...pipeline, { $project: { _id: 0, joined: '$$ROOT' } }]
        const rows = await raw
          .aggregate<Envelope | { joined: mongo.Document }>([{ $match: { _id: { $in: unknown } } }, { $unionWith: { coll, pipeline: wrapped } }])
          .toArray()
        const isJoined = (row: Envelope | { joined: mongo.Document }): row is { joined: mongo.Document } => !('_id' in row)
        return {
          documents: rows.filter((row): row is Envelope => !isJoined(row)),
          joined: rows.filter(isJoined).map(({ joined }) => joined),
        }
      }),
  }
}

interface Fetched {
  documents: Envelope[]
  joined: mongo.Document[]
}

const byId = (raw: Collection<Envelope>, ids: readonly string[]): Promise<Envelope[]> => raw.find({ _id: { $in: [...ids] } }).toArray()
