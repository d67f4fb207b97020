import type { System } from '@carapace/testing'
import { EJSON } from 'bson'
import { type Db, MongoBulkWriteError, MongoClient } from 'mongodb'

/** Where databases are. */
interface Place {
  uri: string
  prefix: string
}

/** What distinguishes the records of a population from those of its copies. */
export interface Marks {
  /** Ids and addresses that are the same in all copies, lower-case: the platform's own. */
  shared: ReadonlySet<string>
  /** Names without an id in them. */
  names: readonly string[]
}

/** Of one collection. */
export interface Records {
  database: string
  collection: string
  /** EJSON. */
  texts: string[]
}

const batch = 500
/** Locks and clocks of those who wrote it, and the list of candidates, which has one head; sums are recalculated when they are missing. */
const skipped = new Set(['chain_leases', 'chain_cursors', 'sandbox', 'sums', 'candidate_list', 'candidate_list_changes'])
/** Any hexadecimal id, hash or address: the last eight digits are replaced by the number of the copy. */
const key = /\b(?:0x)?[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}(?:[0-9a-f]{8}|[0-9a-f]{32})?\b/gi
/** Numbers with a unique index, each below this. */
const counted = ['cardTokenId', 'seq', 'place']
const countedBelow = 10_000

/** All that services wrote under a prefix. */
export async function readAll({ uri, prefix }: Place): Promise<Records[]> {
  return withClient(uri, async client => {
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true })
    const all: Records[] = []
    for (const { name } of databases.filter(({ name }) => name.startsWith(`${prefix}carapace_`) && !/relayer|bus/.test(name)))
      for (const { name: collection } of await client.db(name).listCollections({}, { nameOnly: true }).toArray()) {
        if (skipped.has(collection)) continue
        const documents = await client.db(name).collection(collection).find().toArray()
        all.push({ database: name.slice(prefix.length), collection, texts: documents.map(document => EJSON.stringify(document, { relaxed: false })) })
      }
    return all
  })
}

/** Writes them so many times over, each time with other ids, names and times: quicker than playing it on chain. */
export async function populate({ uri, prefix }: Place, records: readonly Records[], marks: Marks, copies: number): Promise<void> {
  const marked = markedBy(marks.names)
  await withClient(uri, async client => {
    for (const { database, collection, texts } of records)
      for (let at = 0; at < copies; at += batch) {
        const numbers = Array.from({ length: Math.min(batch, copies - at) }, (_, n) => at + n)
        const documents = numbers.flatMap(number => texts.map(text => copy(text, number, marked, marks.shared)))
        if (documents.length) await insertNew(client.db(prefix + database), collection, documents)
      }
    // else the scores of all would be recomputed meanwhile
    const daily = { $set: { at: new Date(Date.now() + 86_400_000) } }
    await client.db(`${prefix}carapace_reputation`).collection<{ _id: string }>('platform').updateOne({ _id: 'daily' }, daily, { upsert: true })
  })
}

/** A record without an id of its own exists once. */
async function insertNew(db: Db, collection: string, documents: object[]): Promise<void> {
  await db
    .collection(collection)
    .insertMany(documents, { ordered: false })
    .catch((error: unknown) => {
      if (!(error instanceof MongoBulkWriteError && error.code === 11_000)) throw error
    })
}

export const copiedKey = (found: string, number: number): string => found.slice(0, -8) + number.toString(16).padStart(8, '0')

/** A name in its only group, or a key; the longest name first, since one may be the beginning of another. */
function markedBy(names: readonly string[]): RegExp {
  const longestFirst = [...names].sort((a, b) => b.length - a.length)
  return new RegExp(`(${longestFirst.join('|')})|${key.source}`, 'gi')
}

function copy(text: string, number: number, marked: RegExp, shared: Marks['shared']): object {
  const renamed = text.replace(marked, (found: string, name?: string) =>
    name !== undefined ? `${name}-${number}` : shared.has(found.toLowerCase()) ? found : copiedKey(found, number),
  )
  const document = EJSON.parse(renamed, { relaxed: false, useBigInt64: true }) as Record<string, unknown>
  for (const field of counted) if (field in document) document[field] = Number(document[field]) + number * countedBelow
  for (const field of ['createdAt', 'updatedAt']) {
    const at = document[field]
    if (at instanceof Date) document[field] = new Date(at.getTime() - number * 1_000)
  }
  // their originals have sent these
  if ('outbox' in document) document.outbox = []
  // no news for the chains
  return 'syncDueAt' in document ? { ...document, syncDueAt: null } : document
}

/** What belongs to the platform and is no part of a copy. */
export async function sharedKeys(system: System): Promise<Set<string>> {
  const { networks, oracleWallet } = await system.get('/api/networks')
  const { id } = await system.get('/api/agents/carapace')
  const contracts = networks.flatMap((network: { contracts: object }) => Object.values(network.contracts))
  return new Set([...contracts, oracleWallet, id, `0x${'0'.repeat(40)}`, `0x${'0'.repeat(64)}`].map(key => String(key).toLowerCase()))
}

async function withClient<T>(uri: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await MongoClient.connect(uri, { useBigInt64: true })
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}
