import type { System } from '@carapace/testing'
import { type Db, MongoBulkWriteError, MongoClient } from 'mongodb'
import { copiers, type Marks } from './copies.ts'

/** Where databases are. */
interface Place {
  uri: string
  prefix: string
}

/** Of one collection. */
export interface Records {
  database: string
  collection: string
  documents: Record<string, unknown>[]
}

/** Documents of one write. */
const batch = 2_000
/**
 * Locks and clocks of those who wrote it, what they await of a relayer that knows no copies, and the list of candidates, which has one head; sums are
 * recalculated when they are missing.
 */
const skipped = new Set(['chain_leases', 'chain_cursors', 'chain_outcomes', 'sandbox', 'sums', 'candidate_list', 'candidate_list_changes'])
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
        const documents = await client.db(name).collection<Record<string, unknown>>(collection).find().toArray()
        all.push({ database: name.slice(prefix.length), collection, documents })
      }
    return all
  })
}

/**
 * Writes them so many times over, each time with other ids, names and times: quicker than playing it on chain.
 * @param numbers the first copy's, below which they are written already, and how many
 */
export async function populate(
  { uri, prefix }: Place,
  records: readonly Records[],
  marks: Marks,
  { first = 0, copies }: { first?: number; copies: number },
): Promise<void> {
  const copierOf = copiers(marks)
  await withClient(uri, async client => {
    for (const { database, collection, documents } of records) {
      if (documents.length === 0) continue
      const copiersHere = documents.map(copierOf)
      const together = Math.max(1, Math.floor(batch / documents.length))
      let written: Promise<void> = Promise.resolve()
      for (let at = 0; at < copies; at += together) {
        const numbers = Array.from({ length: Math.min(together, copies - at) }, (_, n) => first + at + n)
        const copied = numbers.flatMap(number => copiersHere.map(copier => moved(copier(number), number)))
        // the next ones are made while these are written
        await written
        written = insertNew(client.db(prefix + database), collection, copied)
      }
      await written
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

/** Numbers and times of the copy differ, too. */
function moved(document: Record<string, unknown>, number: number): object {
  for (const field of counted) if (field in document) document[field] = Number(document[field]) + number * countedBelow
  for (const field of ['createdAt', 'updatedAt']) {
    const at = document[field]
    if (at instanceof Date) document[field] = new Date(at.getTime() - number * 1_000)
  }
  // their originals have sent and reported these
  if ('outbox' in document) document.outbox = []
  for (const field of ['isVerdictOpen', 'isTopUpOpen']) delete document[field]
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
