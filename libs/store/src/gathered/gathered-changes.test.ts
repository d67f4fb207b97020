import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { event, refuse } from '@carapace/api'
import { onEachMongo, type TestMongo } from '@carapace/testing'
import { z } from 'zod'
import { type AggregateStore, aggregateStore } from '../aggregate.ts'
import type { Stored } from '../aggregate-document.ts'
import { type Database, openDatabase } from '../database.ts'
import { gatheredChanges } from './gathered.ts'

const counted = event('store.tally.counted', 'id', 'For the test', { id: z.string(), to: z.number() })
interface Tally {
  id: string
  count: number
}

await onEachMongo('changes that are gathered', acquireMongo => {
  let mongo: TestMongo
  let db: Database
  let tallies: AggregateStore<Tally>

  before(async () => {
    mongo = await acquireMongo()
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}gathered` })
    tallies = aggregateStore<Tally>(db, { collection: 'tallies', resource: 'tally' })
    await db.init()
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })

  const make = async () => (await tallies.create({ id: randomUUID(), count: 0 }, [])).id
  const increment = (tally: Stored<Tally>) => ({
    state: { ...tally, count: tally.count + 1 },
    events: [counted.of({ id: tally.id, to: tally.count + 1 })],
  })
  const eventsOf = async (id: string) =>
    (await tallies.collection.findOne({ _id: id as never }))!.outbox.map(({ data }: { data: { to: number } }) => data.to)

  it('are one write of each document, with the events of all in order', async () => {
    const change = gatheredChanges(tallies)
    const [one, other] = [await make(), await make()]

    await Promise.all([change(one, increment), change(other, increment), change(one, () => undefined), change(one, increment)])

    const [first, second] = [await tallies.need(one), await tallies.need(other)]
    assert.deepEqual([first.count, first.version, second.count, second.version], [2, 2, 1, 2])
    assert.deepEqual(await eventsOf(one), [1, 2])
  })

  it('hold nothing back while one waits for the next, and are one write with it', async () => {
    const change = gatheredChanges(tallies)
    const id = await make()

    await change(id, increment, 3_600_000)
    await change(id, increment)

    const { count, version } = await tallies.need(id)
    assert.deepEqual([count, version], [2, 2])
  })

  it('write nothing where none changes anything, and nothing that is unknown', async () => {
    const change = gatheredChanges(tallies)
    const id = await make()

    await Promise.all([change(id, () => undefined), change(randomUUID(), increment)])

    assert.equal((await tallies.need(id)).version, 1)
  })

  it('do not fail together', async () => {
    const change = gatheredChanges(tallies)
    const id = await make()

    const settled = await Promise.allSettled([change(id, increment), change(id, () => refuse('INVALID_STATE')), change(id, increment)])

    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.equal((await tallies.need(id)).count, 2)
  })
})
