import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { onEachMongo, type TestMongo } from '@carapace/testing'
import fc from 'fast-check'
import { type Database, openDatabase } from './database.ts'
import { type Projection, projection } from './projection.ts'

interface Row {
  handle: string
  score: number
  tier: string
}

await onEachMongo('projection', acquireMongo => {
  let mongo: TestMongo
  let db: Database
  let rows: Projection<Row>

  before(async () => {
    mongo = await acquireMongo()
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}projection` })
    rows = projection<Row>(db, { collection: 'rows' })
    await db.init()
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })

  const stamp = (service: string, subject: string, aggregateversion: number) => ({ source: `/carapace/${service}`, subject, aggregateversion })

  it('merges what several services publish about one id', async () => {
    const id = randomUUID()

    await rows.apply(id, { score: 40, tier: 'Bronze Pinch' }, stamp('reputation', id, 7))
    await rows.apply(id, { handle: 'ada' }, stamp('identity', id, 1))

    assert.deepEqual(await rows.get(id), { id, handle: 'ada', score: 40, tier: 'Bronze Pinch' })
  })

  it('ends with the newest value of each field in any order of events, repeated or not', async () => {
    const happenings = fc.array(fc.record({ version: fc.integer({ min: 1, max: 8 }), field: fc.constantFrom('handle', 'tier') }), {
      minLength: 1,
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(happenings, async list => {
        const id = randomUUID()
        for (const { version, field } of list) await rows.apply(id, { [field]: `v${version}` }, stamp('identity', id, version))

        const row = await rows.get(id)
        for (const field of ['handle', 'tier'] as const) {
          const versions = list.filter(entry => entry.field === field).map(entry => entry.version)
          assert.equal(row?.[field], versions.length ? `v${Math.max(...versions)}` : undefined)
        }
      }),
      { numRuns: 30 },
    )
  })

  it('loses no field when many events come at the same time', async () => {
    const id = randomUUID()

    await Promise.all([1, 2, 3, 4, 5, 6].map(version => rows.apply(id, { score: version }, stamp('reputation', id, version))))

    assert.equal((await rows.get(id))?.score, 6)
  })

  it('writes the events of one moment together, and answers each with its row', async () => {
    const collection = db.connection.collection('rows')
    const calls: string[] = []
    for (const name of ['bulkWrite', 'findOneAndUpdate', 'updateOne', 'findOne', 'find'] as const) {
      const call = collection[name].bind(collection) as (...args: unknown[]) => unknown
      Object.assign(collection, {
        [name]: (...args: unknown[]) => {
          calls.push(name)
          return call(...args)
        },
      })
    }
    const ids = [randomUUID(), randomUUID(), randomUUID()]

    await Promise.all(ids.map((id, at) => rows.apply(id, { score: at }, stamp('reputation', id, 1))))
    const applied = await Promise.all(ids.map((id, at) => rows.applied(id, { tier: `t${at}` }, stamp('reputation', id, 2))))

    assert.deepEqual(
      applied,
      ids.map((id, at) => ({ id, score: at, tier: `t${at}` })),
    )
    assert.deepEqual(calls, ['bulkWrite', 'bulkWrite', 'find'])
  })
})
