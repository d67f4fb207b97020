import assert from 'node:assert/strict'
import { writtenSince } from './written-since.ts'

describe('what was written since a moment', () => {
  it('is known where one process writes: an id that it wrote since, and no other one', async () => {
    const ids = writtenSince({ exclusive: true })
    await ids.writing('before', async () => undefined)
    const since = ids.moment()

    await ids.writing('after', async () => undefined)

    assert.deepEqual(
      ['before', 'after', 'never'].map(id => ids.mayBeWritten(id, since)),
      [false, true, false],
    )
  })

  it('has a write that failed: it may be there', async () => {
    const ids = writtenSince({ exclusive: true })
    const since = ids.moment()

    await assert.rejects(ids.writing('lost', () => Promise.reject(new Error('no answer'))))

    assert.equal(ids.mayBeWritten('lost', since), true)
  })

  it('is unknown where another process may write, and of a moment that is forgotten', async () => {
    const alone = writtenSince({ exclusive: true })
    const since = alone.moment()

    for (let n = 0; n <= 2_000; n++) await alone.writing(`id ${n}`, async () => undefined)

    assert.equal(alone.mayBeWritten('never', since), true)
    assert.equal(alone.mayBeWritten('never', alone.moment()), false)
    assert.equal(writtenSince({ exclusive: false }).mayBeWritten('never', 0), true)
  })
})
