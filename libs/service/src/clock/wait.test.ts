import assert from 'node:assert/strict'
import { type Database, openDatabase } from '@carapace/store'
import { acquireMongo, type TestMongo } from '@carapace/testing'
import { waiter } from './wait.ts'

describe('the bounded wait', () => {
  let mongo: TestMongo
  let db: Database

  before(async () => {
    mongo = await acquireMongo()
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}wait` })
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })

  const long = 10_000
  const saved = (id: string) => db.changes.emit('saved', 'things', id, undefined)

  it('ends with what is there already', async () => {
    assert.equal(await waiter(db).wait('things', 'a', async () => 'there', long), 'there')
  })

  it('is woken by a write of this process to that aggregate', async () => {
    let found: string | undefined
    let probes = 0
    const probe = async () => {
      probes++
      return found
    }
    const waiting = waiter(db).wait('things', 'a', probe, long)
    await new Promise(setImmediate)
    saved('b')
    await new Promise(setImmediate)
    assert.equal(probes, 1)

    found = 'hash'
    saved('a')

    assert.equal(await waiting, 'hash')
    assert.equal(probes, 2)
  })

  it('finds a write of another process by polling', async () => {
    let probes = 0

    assert.equal(await waiter(db).wait('things', 'a', async () => (++probes === 3 ? 'hash' : undefined), long), 'hash')
  })

  it('seldom polls a database that only this process writes to', async () => {
    let probes = 0

    await waiter(db, true).wait('things', 'a', async () => void probes++, 700)

    // the first, one at the bound, and one more where its timer fired a millisecond early; replicas' polls would make four
    assert.ok(probes <= 3, `${probes} probes`)
  })

  it('ends with nothing at its bound', async () => {
    assert.equal(await waiter(db).wait('things', 'a', async () => undefined, 30), undefined)
  })

  it('leaves no listener, however it ends', async () => {
    await waiter(db).wait('things', 'a', async () => undefined, 1)
    await assert.rejects(
      waiter(db).wait('things', 'a', () => Promise.reject(new Error('no')), long),
      /no/,
    )

    assert.equal(db.changes.listenerCount('saved'), 0)
  })
})
