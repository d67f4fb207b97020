import assert from 'node:assert/strict'
import { inSpan } from '@carapace/service'
import { type Database, openDatabase } from '@carapace/store'
import { acquireMongo, type TestMongo } from '@carapace/testing'
import { monitored, noteCommands } from './note-commands.ts'
import { operationCounter } from './operation-counter.ts'

describe('the operations of an act', () => {
  let mongo: TestMongo
  let db: Database
  const counter = operationCounter()
  const things = () => db.connection.collection<{ _id: string; n?: number }>('things')
  const work = (traceparent: string | undefined, run: () => Promise<unknown>) =>
    inSpan({ by: 'social', name: 'test', kind: 'server' }, traceparent, async () => void (await run()))

  before(async () => {
    mongo = await acquireMongo()
    db = await openDatabase({ uri: monitored(mongo.uri), name: `${mongo.prefix}operations` })
    await things().insertOne({ _id: 'there' })
    noteCommands(counter)
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })

  it('are those with its trace, by kind; those of polls and of other requests are background', async () => {
    const act = counter.begin()
    const before = counter.background()

    await work(act.traceparent, async () => {
      await things().findOne({ _id: 'there' })
      await things().insertOne({ _id: 'made' })
      await things().updateOne({ _id: 'made' }, { $set: { n: 1 } })
      await things().deleteOne({ _id: 'made' })
      await db.transaction(session => things().findOneAndUpdate({ _id: 'there' }, { $set: { n: 2 } }, { session }))
    })
    await things().findOne({ _id: 'there' })
    await work(undefined, () => things().updateOne({ _id: 'there' }, { $set: { n: 3 } }))

    assert.deepEqual(act.counts(), { finds: 1, updates: 2, 'inserts and deletes': 2, others: 1 })
    assert.equal([...act.places()].find(([place]) => /^updates .*operations\.things$/.test(place))?.[1], 2)
    assert.deepEqual(counter.background(), { ...before, finds: before.finds + 1, updates: before.updates + 1 })
  })

  it('are its own while other acts wait for the same connections', async () => {
    const acts = Array.from({ length: 4 }, () => counter.begin())

    const finds = acts.flatMap((act, at) => Array.from({ length: 20 + at }, () => work(act.traceparent, () => things().findOne({ _id: 'there' }))))
    await Promise.all(finds)

    const found = acts.map(act => act.counts().finds)
    assert.deepEqual(found, [20, 21, 22, 23])
  })

  it('are all of a trace that nobody gave and in which its mark comes up, and commands without a trace that have it', async () => {
    const other = counter.begin()
    const act = counter.begin('0xabc')

    await work(undefined, async () => {
      await things().findOne({ _id: 'there' })
      await things().insertOne({ _id: '0xAbC' })
    })
    await things().deleteOne({ _id: '0xAbC' })
    await things().deleteOne({ _id: '0xdef' })
    await work(other.traceparent, () => things().findOne({ _id: '0xAbC' }))

    assert.deepEqual(act.counts(), { finds: 1, updates: 0, 'inserts and deletes': 2, others: 0 })
    assert.equal(other.counts().finds, 1)
  })
})
