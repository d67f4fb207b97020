import assert from 'node:assert/strict'
import { type AggregateStore, aggregateStore, type Database, openDatabase } from '@carapace/store'
import { acquireMongo, type TestMongo } from '@carapace/testing'
import { checkedRecords } from './checked-records.ts'
import type { Extent } from './examination.ts'

interface Thing {
  id: string
  n: number
}

describe('the records that a check reads', () => {
  let mongo: TestMongo
  let db: Database
  let now = new Date('2026-01-10T00:00:00.000Z')
  before(async () => {
    mongo = await acquireMongo()
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}checked`, clock: { now: () => now } })
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })

  const open = (name: string): AggregateStore<Thing> =>
    aggregateStore<Thing>(db, { collection: name, resource: 'thing', indexes: { updated: { key: { updatedAt: 1 } } } })
  const fill = async (things: AggregateStore<Thing>, count: number) => {
    const ids = Array.from({ length: count }, (_, n) => `${String(count).padStart(6, '0')}-${String(n).padStart(6, '0')}`)
    await db.transaction(session =>
      things.createAll(
        ids.map(id => ({ id, n: 0 })),
        session,
      ),
    )
    now = new Date(now.getTime() + 3_600_000)
    return ids
  }
  const read = async ({ pages }: ReturnType<typeof checkedRecords<Thing>>, extent: Extent) => {
    const ids: string[] = []
    for await (const page of pages(extent)) ids.push(...page.map(({ id }) => id))
    return ids
  }

  it('are as many each minute where there are ten times as many, and all of them for the doctor', async () => {
    const things = open('many')
    const records = checkedRecords(things, db.clock, { pageSize: 20 })
    const [first] = await fill(things, 40)
    const few = await read(records, 'news')
    await fill(things, 400)
    const many = await read(checkedRecords(things, db.clock, { pageSize: 20 }), 'news')

    assert.deepEqual([few.length, many.length], [20, 20])
    assert.equal(new Set(await read(records, 'whole')).size, 440)
    assert.equal(few[0], first)
  })

  it('are what has changed lately, however many of one moment, and what was wrong until it is right', async () => {
    const things = open('changed')
    const ids = await fill(things, 90)
    const records = checkedRecords(things, db.clock, { pageSize: 10 })
    const changed = ids.slice(30, 65)
    await things.changeAll(new Map(changed.map(id => [id, thing => ({ state: { ...thing, n: 1 }, events: [] })])))

    records.note(ids[80]!, true)
    const found = new Set(await read(records, 'news'))
    assert.deepEqual([...found].sort(), [...ids.slice(0, 10), ...changed, ids[80]!].sort())

    records.note(ids[80]!, false)
    now = new Date(now.getTime() + 3_600_000)
    assert.deepEqual(await read(records, 'news'), ids.slice(0, 10))
  })
})
