import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { type Child, spawnServer } from './child.ts'
import { item, prepare, type Target } from './operations.ts'

const documentCount = 100_000
const batch = 5_000
const clients = 32
const loadSeconds = 60
/** In each step one client leaves a transaction and a cursor open. */
const stepSeconds = 15
const mebibyte = 1_048_576

/**
 * Fills an engine with 100,000 documents, loads it for a minute with 32 clients, and then for `minutes` more while clients leave
 * transactions and unread cursors open. Prints the memory of the process and the duration of a start on this data.
 */
export async function watchMemory(minutes: number): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'embedded-mongo-memory-'))
  const program = new URL('../main.js', import.meta.url)
  let child = await spawnServer(program, ['--port', '0', '--data', data])
  let client = await new MongoClient(child.uri, { maxPoolSize: 40 }).connect()
  const target = await prepare(client)
  const show = (when: string) => console.log(`${when.padEnd(34)} ${line(child)}`)
  show('empty')
  for (let from = 0; from < documentCount; from += batch) await target.inserted.insertMany(Array.from({ length: batch }, (_, i) => item(from + i)))
  show(`${documentCount} documents`)
  const done = await work(target, loadSeconds * 1000)
  show(`after ${loadSeconds} s, ${done} operations`)
  const steps = Math.round((minutes * 60) / stepSeconds)
  for (let step = 1; step <= steps; step++) {
    await abandon(target)
    await work(target, stepSeconds * 1000)
    if (step % 4 === 0) show(`after ${(step * stepSeconds) / 60} further minutes`)
  }
  await client.close()
  await child.kill()
  const started = performance.now()
  child = await spawnServer(program, ['--port', '0', '--data', data])
  client = await new MongoClient(child.uri).connect()
  await client
    .db('bench')
    .collection('inserted')
    .findOne({ n: documentCount - 1 })
  console.log(`start on this data after SIGKILL, to the first answer: ${(performance.now() - started).toFixed(0)} ms`)
  await client.close()
  await child.stop()
  await rm(data, { recursive: true })
}

/** What services do: mostly reads by index, some updates, inserts that are deleted again, transactions and an aggregation now and then. */
async function work({ client, inserted, log }: Target, ms: number): Promise<number> {
  const end = performance.now() + ms
  const any = () => Math.floor(Math.random() * documentCount)
  let done = 0
  const kinds: (() => Promise<unknown>)[] = [
    () => inserted.findOne({ _id: any() }),
    () => inserted.findOne({ email: `user${any()}@example.org` }),
    () => inserted.findOne({ group: any() % 500 }),
    () =>
      inserted
        .find({ n: { $gte: any() } })
        .sort({ n: 1 })
        .limit(20)
        .toArray(),
    () => inserted.updateOne({ _id: any() }, { $inc: { hits: 1 }, $set: { status: 'held' } }),
    () => inserted.findOneAndUpdate({ _id: any() }, { $inc: { hits: 1 } }),
    async () => {
      const { insertedId } = await log.insertOne({ note: 'x'.repeat(100) })
      await log.deleteOne({ _id: insertedId })
    },
    () =>
      client.withSession(session =>
        session.withTransaction(async () => {
          await inserted.updateOne({ _id: any() }, { $inc: { hits: -1 } }, { session })
          await inserted.updateOne({ _id: any() }, { $inc: { hits: 1 } }, { session })
        }),
      ),
    () => inserted.aggregate([{ $match: { group: { $lt: 5 } } }, { $group: { _id: '$status', total: { $sum: '$n' } } }]).toArray(),
  ]
  const one = async () => {
    while (performance.now() < end) {
      await kinds[Math.floor(Math.random() * kinds.length)]!()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, one))
  return done
}

/** A client that stops in the middle: its transaction and its cursor are left to expire. */
async function abandon({ client, inserted }: Target): Promise<void> {
  const session = client.startSession()
  session.startTransaction()
  await inserted.updateOne({ _id: -1 }, { $inc: { hits: 1 } }, { session })
  await inserted.find({}, { session }).batchSize(10).next()
  await inserted.find({}).batchSize(10).next()
}

function line(child: Child): string {
  const { all, own } = child.rssBytes()
  return `RSS ${(all / mebibyte).toFixed(0).padStart(5)} MB, of that without the mapped data file ${(own / mebibyte).toFixed(0).padStart(4)} MB`
}
