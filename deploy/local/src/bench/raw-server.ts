import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { EJSON } from 'bson'
import { type Document, MongoClient } from 'mongodb'

/**
 * What plain node and the driver cost, as a process of its own: `node raw-server.js <uri>`. It answers with the documents as they are:
 * /one/<database>/<collection>/<id>, /newest/<limit> agents, /best/<limit> scores; POST /<kind> writes what an act writes; /same only answers, with the head
 * and the body that POST /same was given.
 */
const client = await MongoClient.connect(process.argv[2]!, { useBigInt64: true, maxPoolSize: 40 })
const collection = (database: string, name: string) => client.db(`carapace_${database}`).collection<Document & { _id: string }>(name)
let same: { headers: string[]; body: string } = { headers: [], body: '' }
const gigs = collection('marketplace', 'bench_gigs')
const agents = collection('identity', 'bench_agents')
let written = 0

async function answer(method: string, parts: readonly string[]): Promise<unknown> {
  const [kind, ...rest] = parts
  if (method === 'POST') return write(kind!)
  if (kind === 'one') return collection(rest[0]!, rest[1]!).findOne({ _id: rest[2]! })
  const limit = Number(rest[0])
  if (kind === 'newest') return collection('identity', 'agents').find({ status: 'active' }).sort({ createdAt: -1, _id: -1 }).limit(limit).toArray()
  return collection('reputation', 'scores')
    .find({ status: 'active' })
    .sort({ fusedScore: -1, totalGigsCompleted: -1, registeredAt: 1 })
    .limit(limit)
    .toArray()
}

/** As many writes as the act has, of documents of its size. */
async function write(kind: string): Promise<unknown> {
  if (kind === 'registration') return writeRegistration()
  if (kind === 'whole-gig') return writeWholeGig()
  const { _id, ...fields } = (await modelOf(kind))!
  const n = written++
  if (kind === 'heartbeat') {
    await agents.updateOne({ _id: `a${n % 1_000}` }, { $set: { ...fields, updatedAt: new Date() } }, { upsert: true })
    return { n }
  }
  await gigs.insertOne({ ...fields, _id: `g${n}` })
  await gigs.insertOne({ ...fields, _id: `o${n}` })
  await gigs.updateOne({ _id: `g${n}` }, { $set: { version: 2 } })
  await gigs.updateOne({ _id: 'sums' }, { $inc: { count: 1 } }, { upsert: true })
  return { n }
}

/** As many as all acts of a gig have in the table of operations (docs/performance.md), where it is played alone. */
const ofWholeGig = { inserts: 33, updates: 78 }

async function writeWholeGig(): Promise<unknown> {
  const { _id, ...fields } = (await modelOf('gig'))!
  const n = written++
  for (let at = 0; at < ofWholeGig.inserts; at++) await gigs.insertOne({ ...fields, _id: `w${n}-${at}` })
  for (let at = 0; at < ofWholeGig.updates; at++) await gigs.updateOne({ _id: `w${n}-${at % ofWholeGig.inserts}` }, { $set: { version: at } })
  return { n }
}

/** Every document that one registration left, without what the relayer has of it. */
async function writeRegistration(): Promise<unknown> {
  registered ??= documentsOf()
  const n = written++
  for (const [at, { place, fields }] of (await registered).entries())
    await client
      .db(place)
      .collection<Document>('bench_written')
      .insertOne({ ...fields, _id: `${n}-${at}` as never })
  return { n }
}

let registered: Promise<{ place: string; fields: Document }[]> | undefined
async function documentsOf(): Promise<{ place: string; fields: Document }[]> {
  const agent = await collection('identity', 'agents').findOne({ handle: /^bench-/ })
  const { databases } = await client.db().admin().listDatabases({ nameOnly: true })
  const all: { place: string; fields: Document }[] = []
  for (const { name: place } of databases.filter(({ name }) => name.startsWith('carapace_') && !/relayer|bus/.test(name)))
    for (const { name } of await client.db(place).listCollections({}, { nameOnly: true }).toArray())
      for (const { _id, ...fields } of await client.db(place).collection(name).find().toArray())
        if (name !== 'bench_written' && EJSON.stringify({ _id, fields }).includes(agent!._id)) all.push({ place, fields })
  return all
}

const models = new Map<string, Promise<Document | null>>()
function modelOf(kind: string): Promise<Document | null> {
  const model = models.get(kind) ?? (kind === 'heartbeat' ? collection('identity', 'agents') : collection('marketplace', 'gigs')).findOne({})
  models.set(kind, model)
  return model
}

const text = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const [kind, ...rest] = (request.url ?? '').split('/').slice(1)
  if (kind === 'same') {
    if (request.method === 'POST') same = JSON.parse(Buffer.concat(chunks).toString())
    return void response.writeHead(200, same.headers).end(same.body)
  }
  const body = JSON.stringify(await answer(request.method ?? '', [kind!, ...rest]), text)
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) }).end(body)
}

const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
process.once('disconnect', () => process.exit(0))
