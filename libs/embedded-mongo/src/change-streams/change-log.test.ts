import assert from 'node:assert/strict'
import { type NewChange, openChangeLog } from './change-log.ts'

describe('the log of changes', () => {
  const change = (n: number): NewChange => ({ kind: 'insert', db: 'd', collection: String(n), after: Buffer.alloc(100, n) })
  const names = (log: ReturnType<typeof openChangeLog>) => {
    const found: (string | undefined)[] = []
    for (let i = log.first(); i < log.end(); i++) found.push(log.get(i)?.collection)
    return found
  }

  it('notes nothing before somebody watches, and shows nothing before it is stored', () => {
    const log = openChangeLog(Date.now())
    log.note(change(1))
    log.publish()
    log.watch()
    log.note(change(2))
    assert.deepEqual(names(log), [])
    log.discard()
    log.note(change(3))
    log.publish()

    assert.deepEqual(names(log), ['3'])
    assert.ok(log.newest().greaterThan(log.forgottenUntil()))
  })

  it('forgets the oldest changes, also of one commit that is too large, and says until when', () => {
    const log = openChangeLog(Date.now())
    log.watch()
    for (let n = 0; n < 30_000; n++) log.note(change(n))
    log.publish()
    const remaining = names(log)

    assert.ok(remaining.length >= 5_000 && remaining.length <= 12_500, String(remaining.length))
    assert.equal(remaining.at(-1), '29999')
    assert.equal(remaining[0], String(30_000 - remaining.length))
    assert.equal(log.end(), 30_000)
    assert.ok(log.get(log.first())!.time.greaterThan(log.forgottenUntil()))

    for (let n = 0; n < 20_000; n++) {
      log.note(change(n))
      log.publish()
    }
    assert.equal(log.end(), 50_000)
    assert.ok(log.end() - log.first() <= 12_500)
  })

  it('gives times that never decrease, also after those of a previous engine', () => {
    const before = openChangeLog(Date.now() - 5)
    before.watch()
    before.note(change(1))
    before.publish()
    const after = openChangeLog(Date.now())
    after.watch()

    assert.ok(after.forgottenUntil().greaterThan(before.newest()))
  })
})
