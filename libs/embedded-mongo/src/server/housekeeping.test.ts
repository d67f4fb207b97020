import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Binary, Int32 } from 'bson'
import { encode, withIdFirst } from '../bson/raw.ts'
import type { Engine } from '../engine/engine.ts'
import { forgetExpired, remember, sessionMs, sessionOf } from '../sessions/session.ts'
import type { Collection } from '../storage/catalog.ts'
import { indexFrom, normalizeSpec } from '../storage/index-spec.ts'
import { wholeRange } from '../storage/keyspace.ts'
import { beginTxn } from '../storage/txn.ts'
import { collectGarbage } from '../write/garbage.ts'
import { deleteExpired } from '../write/ttl.ts'
import { insertDocument } from '../write/write.ts'
import { openEngine, sweep } from './open-engine.ts'
import { upgradeIndexes } from './upgrade.ts'

describe('housekeeping', () => {
  let path: string
  let engine: Engine
  before(async () => {
    path = await mkdtemp(join(tmpdir(), 'embedded-mongo-housekeeping-'))
    engine = await openEngine(path, false)
  })
  after(async () => {
    await engine.stop()
    await rm(path, { recursive: true, force: true })
  })

  function make(name: string, index: Record<string, unknown>): Promise<Collection> {
    return engine.storage.write(() => {
      const collection = engine.catalog.create('db', name, {})
      collection.indexes.push({ ...indexFrom(engine.catalog.nextId(), normalizeSpec({ name: 'i', ...index })), isReady: true })
      engine.catalog.save(collection)
      return collection
    })
  }

  it('deletes documents whose time has passed, and no others', async () => {
    const now = Date.now()
    const collection = await make('ttl', { key: { at: new Int32(-1) }, expireAfterSeconds: new Int32(60) })
    const ages = [new Date(now - 61_000), new Date(now - 59_000), [new Date(now), new Date(now - 100_000)], 'no date', null]
    await engine.storage.write(() => ages.forEach((at, i) => void insertDocument(engine, collection, withIdFirst(encode({ _id: i, at })))))
    await deleteExpired(engine, now)

    assert.equal(engine.storage.docs.count(wholeRange(collection.id)), 3)
    assert.equal(engine.storage.index.count(wholeRange(collection.indexes[0]!.id)), 3)
  })

  it('deletes what a dropped collection leaves, in slices', async () => {
    const collection = await make('dropped', { key: { n: new Int32(1) } })
    await engine.storage.write(() => {
      for (let n = 0; n < 4_500; n++) insertDocument(engine, collection, withIdFirst(encode({ _id: n, n })))
    })
    await engine.storage.write(() => engine.catalog.drop(collection))
    await collectGarbage(engine)

    assert.equal(engine.storage.docs.count(wholeRange(collection.id)), 0)
    assert.equal(engine.storage.index.count(wholeRange(collection.indexes[0]!.id)), 0)
    assert.deepEqual(engine.catalog.garbage(), [])
  })

  it('builds the indexes of an older data folder again, in slices', async () => {
    const { storage, catalog } = engine
    const count = 150
    const collection = await make('old', { key: { n: new Int32(1) }, unique: true })
    const [old] = collection.indexes
    await storage.write(() => {
      for (let n = 0; n < count; n++) insertDocument(engine, collection, withIdFirst(encode({ _id: n, n })))
      storage.meta.put(Buffer.from('f'), Buffer.from([1]))
    })
    let commits = 0
    storage.onCommit(() => (commits += 1))
    const { isLong } = storage
    storage.isLong = () => true
    await upgradeIndexes(storage, catalog)
    storage.isLong = isLong

    const [index] = collection.indexes
    assert.ok(commits >= count, `${commits} commits`)
    assert.deepEqual([index!.isReady, index!.isUnique, collection.building], [true, true, []])
    assert.equal(storage.index.count(wholeRange(index!.id)), count)
    await collectGarbage(engine)
    assert.equal(storage.index.count(wholeRange(old!.id)), 0)
  })

  it('forgets the retry records of sessions that nobody uses any more', async () => {
    const now = Date.now()
    const ids = [1, 2].map(n => ({ id: new Binary(Buffer.alloc(16, n), 4) }))
    const sessions = ids.map(id => sessionOf(engine.sessions, engine.storage, id, now))
    await engine.storage.write(() =>
      sessions.forEach((session, i) => void remember(engine.storage, session, 1, i === 0 ? now - 2 * sessionMs : now, { reply: Buffer.from('x') })),
    )
    engine.sessions.clear()
    await engine.storage.write(() => forgetExpired(engine.storage, engine.sessions, now))

    assert.deepEqual(
      ids.map(id => sessionOf(new Map(), engine.storage, id, now).number),
      [-1, 1],
    )
  })

  it('aborts an idle transaction when it prevents the reuse of pages in the data file, or after its lifetime', () => {
    const now = Date.now()
    const states = [
      { idleMs: 6_000, writes: 0 },
      { idleMs: 4_000, writes: 2_000 },
      { idleMs: 6_000, writes: 2_000 },
      { idleMs: 61_000, writes: 0 },
    ].map(({ idleMs, writes }, i) => {
      const lsid = { id: new Binary(Buffer.alloc(16, i + 1), Binary.SUBTYPE_UUID) }
      const session = sessionOf(engine.sessions, engine.storage, lsid, now - idleMs)
      const txn = beginTxn(engine.storage, session.id, 1, now - idleMs)
      session.txn = { ...txn, snapshot: { ...txn.snapshot, version: txn.snapshot.version - writes } }
      return session.txn
    })
    sweep(engine, now)

    assert.deepEqual(
      states.map(({ state }) => state),
      ['open', 'open', 'aborted', 'aborted'],
    )
  })

  it('lets the measurements of a time series expire', async () => {
    const now = Date.UTC(2026, 0, 1)
    const collection = await engine.storage.write(() => {
      const made = engine.catalog.create('db', 'series', { timeseries: { timeField: 'at' }, expireAfterSeconds: new Int32(60) })
      engine.catalog.save(made)
      for (const age of [90, 60, 30]) insertDocument(engine, made, withIdFirst(encode({ _id: 1, at: new Date(now - age * 1000) })))
      return made
    })

    await deleteExpired(engine, now)

    assert.equal(engine.storage.docs.count(wholeRange(collection.id)), 1)
  })
})
