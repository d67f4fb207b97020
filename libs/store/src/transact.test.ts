import assert from 'node:assert/strict'
import { refuse } from '@carapace/api'
import { acquireMongo, type TestMongo } from '@carapace/testing'
import { type Database, openDatabase } from './database.ts'
import { transact } from './transact.ts'

describe('a transaction over several stores', () => {
  let mongo: TestMongo
  let db: Database

  before(async () => {
    mongo = await acquireMongo()
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}transact` })
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })

  it('is decided again when another one wrote the same rows first', async () => {
    let attempts = 0

    const result = await transact({ db }, async () => (++attempts < 3 ? refuse('CONFLICT') : 'done'))

    assert.deepEqual([result, attempts], ['done', 3])
  })

  it('is decided again when another one made the same row first', async () => {
    const rows = db.connection.collection<{ _id: string; n: number }>('rows')
    await rows.insertOne({ _id: 'a', n: 1 })
    const ids = ['a', 'b']
    let attempts = 0

    await transact({ db }, session => rows.insertOne({ _id: ids[attempts++]!, n: 2 }, { session }))

    assert.equal((await rows.findOne({ _id: 'b' }))?.n, 2)
  })

  it('ends with the conflict when it never gets through', async () => {
    let attempts = 0

    await assert.rejects(
      transact({ db }, async () => {
        attempts++
        refuse('CONFLICT')
      }),
      { code: 'CONFLICT' },
    )

    assert.equal(attempts, 6)
  })

  it('is not tried again when it is refused for another reason', async () => {
    let attempts = 0

    await assert.rejects(
      transact({ db }, async () => {
        attempts++
        refuse('INSUFFICIENT_BALANCE')
      }),
      { code: 'INSUFFICIENT_BALANCE' },
    )

    assert.equal(attempts, 1)
  })
})
