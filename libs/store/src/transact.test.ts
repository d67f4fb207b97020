import assert from 'node:assert/strict'
import { refuse } from '@carapace/api'
import { onEachMongo, type TestMongo } from '@carapace/testing'
import type { Collection } from 'mongoose'
import { type Database, openDatabase } from './database.ts'
import { transact } from './transact.ts'

await onEachMongo('a transaction over several stores', acquireMongo => {
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

  it('is decided again when another transaction holds the document, until that one ends', async () => {
    const rows = await rowsWith('held')
    await holding(rows, 'held', async release => {
      let attempts = 0

      await transact({ db }, async session => {
        if (++attempts === 3) await release()
        await rows.updateOne({ _id: 'held' }, { $inc: { n: 1 } }, { session })
      })

      assert.ok(attempts >= 3)
    })

    assert.equal((await rows.findOne({ _id: 'held' }))?.n, 1)
  })

  it('ends with CONFLICT when the document stays held for the longest time allowed', async () => {
    const rows = await rowsWith('stuck')
    await holding(rows, 'stuck', async () => {
      const late = db.transaction(session => rows.updateOne({ _id: 'stuck' }, { $inc: { n: 1 } }, { session }), 300)

      await assert.rejects(late, { code: 'CONFLICT' })
    })
  })

  it('is not committed when its work ends after its time limit, and holds nothing then', async () => {
    const rows = await rowsWith('slow')
    let open = () => {}
    const gate = new Promise<void>(resolve => {
      open = resolve
    })
    const late = db.transaction(async session => {
      await rows.updateOne({ _id: 'slow' }, { $set: { n: 100 } }, { session })
      await gate
      await rows.updateOne({ _id: 'slow' }, { $set: { n: 200 } }, { session })
    }, 300)
    await assert.rejects(late, { code: 'TIMEOUT' })
    open()

    // waits for the lock of the transaction
    await rows.updateOne({ _id: 'slow' }, { $inc: { n: 1 } })

    assert.equal((await rows.findOne({ _id: 'slow' }))?.n, 1)
  })

  interface Row {
    _id: string
    n: number
  }
  const rowsWith = async (_id: string) => {
    const rows = db.connection.collection<Row>('rows')
    await rows.insertOne({ _id, n: 0 })
    return rows
  }
  /** Runs `work` while another transaction has written the row; that one is aborted by `release`, or at the end. */
  const holding = async (rows: Collection<Row>, _id: string, work: (release: () => Promise<void>) => Promise<void>) => {
    const holder = await db.connection.startSession()
    holder.startTransaction()
    await rows.updateOne({ _id }, { $set: { n: 7 } }, { session: holder })
    try {
      await work(() => holder.abortTransaction())
    } finally {
      await holder.endSession()
    }
  }
})
