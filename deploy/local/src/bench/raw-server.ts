import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Document, MongoClient } from 'mongodb'

/**
 * What plain node and the driver cost, as a process of its own: `node raw-server.js <uri>`. It answers with the documents as they are:
 * /one/<database>/<collection>/<id>, /newest/<limit> agents, /best/<limit> scores; POST /<kind> writes what an act writes; /same/<length> only answers.
 */
const client = await MongoClient.connect(process.argv[2]!, { useBigInt64: true, maxPoolSize: 40 })
const collection = (database: string, name: string) => client.db(`carapace_${database}`).collection<Document & { _id: string }>(name)
const bodies = new Map<string, string>()
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

const models = new Map<string, Promise<Document | null>>()
function modelOf(kind: string): Promise<Document | null> {
  const model = models.get(kind) ?? (kind === 'heartbeat' ? collection('identity', 'agents') : collection('marketplace', 'gigs')).findOne({})
  models.set(kind, model)
  return model
}

const text = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  for await (const _ of request);
  const [kind, ...rest] = (request.url ?? '').split('/').slice(1)
  const send = (body: string) =>
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) }).end(body)
  if (kind !== 'same') return void send(JSON.stringify(await answer(request.method ?? '', [kind!, ...rest]), text))
  const body = bodies.get(rest[0]!) ?? `"${'x'.repeat(Number(rest[0]) - 2)}"`
  bodies.set(rest[0]!, body)
  send(body)
}

const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
process.once('disconnect', () => process.exit(0))
