import assert from 'node:assert/strict'
import { isUnavailable, openDatabase } from '../index.ts'

describe('isUnavailable', () => {
  it('recognises a database that nothing answers for', async () => {
    await assert.rejects(openDatabase({ uri: 'mongodb://127.0.0.1:9', name: 'none' }), error => isUnavailable(error))
  }).timeout(20_000)

  it('recognises what a server answers while it starts, ends or is no primary', () => {
    const answered = (code: number) => Object.assign(new Error('refused'), { name: 'MongoServerError', code })

    for (const code of [91, 94, 189, 10107, 13436]) assert.ok(isUnavailable(answered(code)), String(code))
    for (const code of [18, 112, 11000]) assert.ok(!isUnavailable(answered(code)), String(code))
    assert.ok(!isUnavailable(Object.assign(new Error('of another party'), { code: 91 })))
    assert.ok(!isUnavailable('MongoNetworkError'))
  })
})
