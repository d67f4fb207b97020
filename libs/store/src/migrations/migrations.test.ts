import assert from 'node:assert/strict'
import { onEachMongo, type TestMongo, until } from '@carapace/testing'
import { type Database, openDatabase } from '../database.ts'
import { type Migration, migrate, noteForm } from './migrations.ts'

await onEachMongo('the migrations of a database', acquireMongo => {
  let mongo: TestMongo
  const opened: Database[] = []
  before(async () => {
    mongo = await acquireMongo()
  })
  after(async () => {
    for (const db of opened) await db.close()
    await mongo.close()
  })
  const open = async (name: string) => {
    const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}${name}` })
    opened.push(db)
    return db
  }
  /** One with documents of the first form. */
  const openOld = async (name: string) => {
    const db = await open(name)
    await things(db).insertOne({ _id: 'a', seen: [] })
    return db
  }
  const things = (db: Database) => db.collection<{ _id: string; seen: string[] }>('things')
  const seen = async (db: Database) => (await things(db).findOne({ _id: 'a' }))?.seen
  const note = (db: Database, name: string): Migration => ({ name, run: () => things(db).updateOne({ _id: 'a' }, { $push: { seen: name } }) })
  const options = { log: { info: () => undefined }, pollMs: 5, leaseMs: 60_000 }

  it('run in their order, each once, the new ones of a later version too', async () => {
    const db = await openOld('order')
    const steps = ['one', 'two', 'three'].map(name => note(db, name))

    await noteForm(db, 2)
    await migrate(db, steps.slice(0, 2), options)
    await migrate(db, steps.slice(0, 2), options)
    await migrate(db, steps, options)

    assert.deepEqual(await seen(db), ['one', 'two', 'three'])
  })

  it('leave documents alone that this version made', async () => {
    const db = await open('fresh')
    await noteForm(db, 1)
    await things(db).insertOne({ _id: 'a', seen: [] })

    await migrate(db, [note(db, 'one')], options)

    assert.deepEqual(await seen(db), [])
  })

  it('run in one of several processes, and the others wait for it', async () => {
    const db = await openOld('replicas')
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    let isHeld = false
    const slow: Migration = {
      name: 'slow',
      run: async () => {
        isHeld = true
        await held
        await note(db, 'slow').run()
      },
    }
    let ended = 0

    const runs = [1, 2, 3].map(() => migrate(db, [slow], options).then(() => ended++))
    await until('one runs', () => isHeld)
    assert.equal(ended, 0)
    release()
    await Promise.all(runs)

    assert.deepEqual(await seen(db), ['slow'])
  })

  it('are tried again by the next start after one has failed, and after a process has died in one', async () => {
    const db = await openOld('failures')
    const failing: Migration = { name: 'one', run: () => Promise.reject(new Error('no disk')) }

    await assert.rejects(migrate(db, [failing], options), /no disk/)
    await db.connection.collection('data_form').updateOne({ _id: 'form' as never }, { $set: { holder: 'dead', until: new Date(Date.now() + 100) } })
    await migrate(db, [note(db, 'one')], options)

    assert.deepEqual(await seen(db), ['one'])
  })

  it('refuse documents of a later version', async () => {
    const db = await openOld('later')
    await migrate(db, [note(db, 'one'), note(db, 'two')], options)

    await assert.rejects(migrate(db, [note(db, 'one')], options), /has data of form 2, this version reads form 1: start the version that wrote it/)
  })
})
