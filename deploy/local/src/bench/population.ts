import { randomBytes, randomUUID } from 'node:crypto'
import { EJSON } from 'bson'
import { MongoClient } from 'mongodb'

/** What tells one agent and its gig apart from another in every service's records. */
export interface Model {
  agentId: string
  handle: string
  wallet: string
  gigId: string
}

const batch = 500
/** Growing numbers with a unique index. */
const counted = ['cardTokenId']
/** Locks, clocks, and the log whose entries are chained by their hashes. */
const skipped = new Set(['audit', 'platform', 'chain_leases', 'chain_cursors', 'sandbox'])

/** Copies everything the services keep of one agent and its gig so many times, under new names: quicker than registering on chain. */
export async function populate(uri: string, prefix: string, model: Model, from: number, to: number): Promise<void> {
  const client = await MongoClient.connect(uri, { useBigInt64: true })
  try {
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true })
    for (const { name } of databases.filter(({ name }) => name.startsWith(`${prefix}carapace_`) && !/relayer|bus/.test(name))) {
      const db = client.db(name)
      for (const { name: collection } of await db.listCollections({}, { nameOnly: true }).toArray()) {
        if (skipped.has(collection)) continue
        const texts = (await db.collection(collection).find().toArray())
          .map(document => EJSON.stringify(document, { relaxed: false }))
          .filter(text => (text.includes(model.agentId) || text.includes(model.gigId)) && !text.includes('"cloned"'))
        for (let at = from; at < to; at += batch) {
          const copies = Array.from({ length: Math.min(batch, to - at) }, (_, n) => names(at + n)).flatMap(copy =>
            texts.map(text => rename(text, model, copy)),
          )
          if (copies.length) await db.collection(collection).insertMany(copies, { ordered: false })
        }
      }
    }
  } finally {
    await client.close()
  }
}

interface Copy extends Model {
  number: number
}
const copies = new Map<number, Copy>()

/** The same copy for every collection. */
function names(number: number): Copy {
  const known = copies.get(number)
  if (known) return known
  const copy = { number, agentId: randomUUID(), gigId: randomUUID(), handle: `copy-${number}`, wallet: `0x${randomBytes(20).toString('hex')}` }
  copies.set(number, copy)
  return copy
}

function rename(text: string, model: Model, copy: Copy): object {
  const renamed = text
    .replaceAll(model.agentId, copy.agentId)
    .replaceAll(model.gigId, copy.gigId)
    .replaceAll(model.handle, copy.handle)
    .replaceAll(new RegExp(model.wallet, 'gi'), copy.wallet)
  const document = EJSON.parse(renamed, { relaxed: false, useBigInt64: true }) as Record<string, unknown>
  for (const field of counted) if (field in document) document[field] = 1_000_000 + copy.number
  const own = [copy.agentId, copy.gigId, copy.wallet, copy.handle].some(name => String(document._id).includes(name))
  // written now: what a service keeps in memory follows the times of change
  if ('updatedAt' in document) document.updatedAt = new Date()
  return own ? document : { ...document, _id: `${String(document._id)}-${copy.number}` }
}
