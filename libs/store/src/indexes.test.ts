import assert from 'node:assert/strict'
import { acquireMongo, type TestMongo } from '@carapace/testing'
import { type Database, openDatabase } from './database.ts'
import { openCollection } from './indexes.ts'

describe('openCollection', () => {
  let mongo: TestMongo
  let db: Database

  before(async () => {
    mongo = await acquireMongo()
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}opened` })
    await db.init()
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })

  it('has the indexes of its table, although it was opened after the start', async () => {
    const rows = await openCollection<{ _id: number; at: number }>(db, 'calls', { newest: { key: { at: -1 }, unique: true } })
    await rows.insertOne({ _id: 1, at: 5 })

    await assert.rejects(rows.insertOne({ _id: 2, at: 5 }), { code: 11_000 })
    assert.deepEqual((await rows.indexes()).map(({ name }) => name).toSorted(), ['_id_', 'newest'])
  })
})
