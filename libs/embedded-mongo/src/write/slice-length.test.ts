import assert from 'node:assert/strict'
import type { Collection, Document } from 'mongodb'
import { startTestEngine, type TestEngine } from '../testing/test-engine.ts'
import { collectGarbage } from './garbage.ts'
import { deleteExpired } from './ttl.ts'

const count = 150
/** In the future: the engine itself deletes each minute what has expired by now. */
const start = Date.UTC(2100, 0)
const later = start + 60_000

describe('a commit that has lasted long enough', () => {
  let test: TestEngine
  let items: Collection<Document>
  let commits = 0
  before(async () => {
    test = await startTestEngine()
    test.engine.storage.onCommit(() => (commits += 1))
  })
  after(() => test.stop())

  const insertItems = () => items.insertMany(Array.from({ length: count }, (_, i) => ({ _id: i as never, n: i, at: new Date(start + i) })))
  beforeEach(async () => {
    items = test.client.db('test').collection(`items${commits}`)
    await insertItems()
    await items.createIndexes([{ key: { n: 1 } }, { key: { at: 1 }, expireAfterSeconds: 1 }])
  })

  const works: [what: string, work: () => Promise<unknown>][] = [
    ['updateMany', () => items.updateMany({ n: { $gte: 0 } }, { $inc: { n: 1 } })],
    ['updateMany of so few that one step finds them', () => updateParts()],
    ['deleteMany', () => items.deleteMany({})],
    ['insertMany', () => items.deleteMany({}).then(insertItems)],
    ['createIndex', () => items.createIndex({ at: 1, n: 1 })],
    ['making an index unique', () => items.db.command({ collMod: items.collectionName, index: { keyPattern: { n: 1 }, unique: true } })],
    ['$out', () => items.aggregate([{ $out: 'copy' }]).toArray()],
    ['$merge', () => items.aggregate([{ $set: { n: -1 } }, { $merge: items.collectionName }]).toArray()],
    ['what a dropped collection leaves', () => items.drop().then(() => collectGarbage(test.engine))],
    ['a TTL index', () => deleteExpired(test.engine, later)],
    ['a time series that expires', () => expireSeries()],
  ]
  for (const [what, work] of works)
    it(`ends after one document more: ${what}`, async () => {
      const before = commits
      await test.inSmallSteps(work)

      assert.ok(commits - before >= count, `${commits - before} commits`)
    })

  async function updateParts(): Promise<void> {
    for (const from of [0, count / 3, (2 * count) / 3]) {
      const { modifiedCount } = await items.updateMany({ n: { $gte: from, $lt: from + count / 3 } }, { $set: { isSeen: true } })
      assert.equal(modifiedCount, count / 3)
    }
  }

  async function expireSeries(): Promise<void> {
    const series = await items.db.createCollection(`series${commits}`, { timeseries: { timeField: 'at' }, expireAfterSeconds: 1 })
    await series.insertMany(Array.from({ length: count }, (_, i) => ({ at: new Date(start + i) })))
    const before = commits
    await deleteExpired(test.engine, later)
    assert.ok(commits - before >= count, `${commits - before} commits`)
    assert.equal(await series.countDocuments(), 0)
  }
})
