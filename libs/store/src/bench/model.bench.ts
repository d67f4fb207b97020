import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { acquireMongo, median } from '@carapace/testing'
import { Schema } from 'mongoose'
import { openDatabase } from '../index.ts'

/**
 * A plain collection against a mongoose model whose schema describes the whole document and validates each write: CPU time of this process for each
 * operation, in alternation. The embedded engine runs in a process of its own. docs/decisions/016-plain-collections.md rests on it.
 */
const operations = 1_500
const rounds = 5

interface Place {
  uri: string
  prefix: string
}
interface Gig {
  _id: string
  version: number
  title: string
  skillsRequired: string[]
  budget: bigint
  status: string
  posterId: string
  panel: { agentId: string; vote: string }[]
  createdAt: Date
  updatedAt: Date
}

const text = { type: String, required: true }
const schema = new Schema<Gig>(
  {
    _id: text,
    version: { type: Number, required: true, min: 1 },
    title: { ...text, minlength: 1, maxlength: 200 },
    skillsRequired: { type: [String], required: true },
    budget: { type: BigInt, required: true },
    status: { ...text, enum: ['open', 'assigned', 'completed'] },
    posterId: text,
    panel: [{ _id: false, agentId: text, vote: { ...text, enum: ['pending', 'approve', 'reject'] } }],
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { versionKey: false },
)
const gig = (): Gig => ({
  _id: randomUUID(),
  version: 1,
  title: 'Translate a page',
  skillsRequired: ['translation', 'writing'],
  budget: 25_000_000n,
  status: 'open',
  posterId: randomUUID(),
  panel: Array.from({ length: 5 }, () => ({ agentId: randomUUID(), vote: 'pending' })),
  createdAt: new Date(),
  updatedAt: new Date(),
})

/** What is used of a model. Its own types cost the compiler seconds. */
interface Model {
  create(document: Gig): Promise<unknown>
  findById(id: string): { lean(): Promise<unknown> }
  updateOne(filter: object, update: object, options: { runValidators: boolean }): Promise<unknown>
}
interface Modelling {
  model(name: string, schema: unknown, collection: string): Model
}

if (process.send) await serveMongo()
else await main()

async function main(): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url))
  const [mongo] = (await once(child, 'message')) as [Place]
  const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}models` })
  const raw = db.collection<Gig>('plain')
  const model = (db.connection as unknown as Modelling).model('Gig', schema, 'modelled')
  const ids: string[] = []
  const idOf = (n: number) => ids[n % ids.length] ?? ''
  const update = (n: number) => ({ $set: { status: 'assigned', updatedAt: new Date(), version: n + 2 } })
  for (let n = 0; n < operations; n++) {
    const document = gig()
    ids.push(document._id)
    await raw.insertOne(document)
    await model.create(document)
  }
  await compare('find', [n => raw.findOne({ _id: idOf(n) }), n => model.findById(idOf(n)).lean()])
  await compare('insert', [() => raw.insertOne(gig()), () => model.create(gig())])
  await compare('guarded update', [
    n => raw.updateOne({ _id: idOf(n), version: { $gte: 1 } }, update(n)),
    n => model.updateOne({ _id: idOf(n), version: { $gte: 1 } }, update(n), { runValidators: true }),
  ])
  await db.close()
  child.disconnect()
}

async function serveMongo(): Promise<void> {
  const { uri, prefix, close } = await acquireMongo()
  process.once('disconnect', () => void close())
  process.send?.({ uri, prefix })
}

type Operation = (n: number) => Promise<unknown>

async function compare(name: string, [plain, modelled]: readonly [Operation, Operation]): Promise<void> {
  const spent = { plain: [] as number[], modelled: [] as number[] }
  for (let round = 0; round <= rounds; round++) {
    const each = { plain: await cpuOf(plain), modelled: await cpuOf(modelled) }
    // the first round only warms up
    if (round === 0) continue
    spent.plain.push(each.plain)
    spent.modelled.push(each.modelled)
  }
  const [of, ofModel] = [median(spent.plain), median(spent.modelled)]
  console.log(`${name.padEnd(14)}: plain ${of.toFixed(0)} µs, model ${ofModel.toFixed(0)} µs of CPU (${(ofModel / of).toFixed(2)} times)`)
}

/** µs of CPU time for each of the operations, one after the other. */
async function cpuOf(operation: Operation): Promise<number> {
  const before = process.cpuUsage()
  for (let n = 0; n < operations; n++) await operation(n)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / operations
}
