import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Database, openDatabase } from '@carapace/store'
import { onEachMongo, type TestMongo } from '@carapace/testing'
import { counter } from './counter.store.ts'

await onEachMongo('numbers of a counter', acquireMongo => {
  let mongo: TestMongo
  const open: Database[] = []
  before(async () => {
    mongo = await acquireMongo()
  })
  after(async () => {
    for (const db of open) await db.close()
    await mongo.close()
  })
  const database = async (exclusive: boolean, name = `${mongo.prefix}${randomUUID().slice(0, 8)}`) => {
    const db = await openDatabase({ uri: mongo.uri, name, exclusive })
    open.push(db)
    return db
  }
  const numbersOf = (numbers: { next(): Promise<number> }, count: number) => Promise.all(Array.from({ length: count }, () => numbers.next()))

  it('rise from 1, many of them claimed by one write where no other process claims any', async () => {
    const db = await database(true)
    const numbers = counter(db, 'card')

    assert.deepEqual(await numbersOf(numbers, 10), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    const claimed = await numbers.last()
    assert.deepEqual([await numbers.next(), await numbers.last()], [11, claimed])
    // of the next life of the process
    assert.equal(await counter(db, 'card').next(), claimed + 1)
  })

  it('are given once, however many replicas claim them at the same time', async () => {
    const db = await database(false)
    const replicas = [counter(db, 'card'), counter(await database(false, db.name), 'card')]

    const given = (await Promise.all(replicas.map(numbers => numbersOf(numbers, 20)))).flat()

    assert.deepEqual(
      given.toSorted((a, b) => a - b),
      Array.from({ length: 40 }, (_, at) => at + 1),
    )
  })
})
