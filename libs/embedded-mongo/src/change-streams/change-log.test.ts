import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStorage, type Storage } from '../storage/storage.ts'
import { type ChangeLog, type NewChange, openChangeLog } from './change-log.ts'

describe('the log of changes', () => {
  let path: string
  let storage: Storage
  let log: ChangeLog
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'change-log-'))
    await open()
  })
  afterEach(async () => {
    await storage.close()
    await rm(path, { recursive: true, force: true })
  })

  async function open(limits?: { changes: number; bytes: number }, startedAt = Date.now()): Promise<void> {
    storage = await openStorage(path)
    log = openChangeLog(storage, startedAt, limits)
    const current = log
    storage.onCommit(isStored => (isStored ? current.publish() : current.discard()))
  }
  async function reopen(limits?: { changes: number; bytes: number }, startedAt?: number): Promise<void> {
    await storage.close()
    await open(limits, startedAt)
  }

  const change = (n: number): NewChange => ({ kind: 'insert', db: 'd', collection: String(n), after: Buffer.alloc(100, n) })
  const note = (from: number, to = from + 1) =>
    storage.write(() => {
      for (let n = from; n < to; n++) log.note(change(n))
    })
  const names = () => {
    const found: (string | undefined)[] = []
    for (let i = log.first(); i < log.end(); i++) found.push(log.get(i)?.collection)
    return found
  }

  it('notes nothing before somebody watches, and shows nothing before it is stored', async () => {
    await note(1)
    await log.watch()
    const writing = storage.write(() => {
      log.note(change(2))
      assert.deepEqual(names(), [])
    })
    await writing

    assert.deepEqual(names(), ['2'])
    assert.ok(log.newest().greaterThan(log.forgottenUntil()))
  })

  it('forgets the oldest changes, also of one commit that is too large, and says until when', async () => {
    await reopen({ changes: 10_000, bytes: 1e9 })
    await log.watch()
    await note(0, 30_000)
    const remaining = names()

    assert.equal(remaining.length, 10_000)
    assert.equal(remaining.at(-1), '29999')
    assert.equal(remaining[0], '20000')
    assert.ok(log.get(log.first())!.time.greaterThan(log.forgottenUntil()))

    await note(30_000, 30_100)
    assert.deepEqual([log.first(), log.end()], [20_100, 30_100])
  })

  it('forgets the oldest changes when all together have too many bytes', async () => {
    await reopen({ changes: 1e6, bytes: 100_000 })
    await log.watch()
    await note(0, 2_000)

    assert.ok(names().length > 300 && names().length < 1_000, String(names().length))
  })

  it('has every change after a restart, whichever are in memory', async () => {
    await log.watch()
    for (let n = 0; n < 15_000; n += 3_000) await note(n, n + 3_000)
    const [before, newest, forgotten] = [names(), log.newest(), log.forgottenUntil()]
    const last = log.get(log.end() - 1)

    await reopen()

    assert.equal(log.isWatched(), true)
    assert.deepEqual(names(), before)
    assert.deepEqual([log.newest(), log.forgottenUntil()], [newest, forgotten])
    assert.deepEqual(log.get(log.end() - 1)?.time, last?.time)
    await note(15_000)
    assert.equal(names().at(-1), '15000')
    assert.ok(log.newest().greaterThan(newest))
  })

  it('gives times that never decrease, also when the wall clock was set back before a restart', async () => {
    await log.watch()
    await note(1)
    const before = log.newest()

    await reopen(undefined, Date.now() - 3_600_000)
    await note(2)

    assert.ok(log.newest().greaterThan(before))
  })

  it('preserves the parts of a change, of a transaction too', async () => {
    await log.watch()
    const lsid = { id: 'session' }
    const whole: NewChange = {
      ...change(1),
      kind: 'update',
      key: Buffer.from('k'),
      before: Buffer.from('b'),
      hasImages: true,
      transaction: { lsid, number: 7 },
    }
    await storage.write(() => {
      log.note(whole)
      log.note({ kind: 'rename', db: 'd', collection: 'a', details: { to: { db: 'd', coll: 'b' } }, transaction: { lsid, number: 7 } }, true)
    })
    const parts = () => [log.get(0), log.get(1)].map(found => Object.entries(JSON.parse(JSON.stringify(found)) as object).sort())
    const before = parts()

    await reopen()

    assert.deepEqual(parts(), before)
    assert.deepEqual([log.get(0)!.part, log.get(1)!.part], [0, 1])
    assert.deepEqual(log.get(1)!.time, log.get(0)!.time)
  })
})
