import assert from 'node:assert/strict'
import { openSealing } from './sealing.ts'

describe('a sealed text', () => {
  const [first, second] = ['a'.repeat(64), 'b'.repeat(64)] as const
  const sealing = openSealing([first])

  it('is opened where it belongs, and shows nothing of itself', () => {
    const [sealed, again] = [sealing.seal('whsec_secret', 'a'), sealing.seal('whsec_secret', 'a')]

    assert.equal(sealing.open(sealed, 'a'), 'whsec_secret')
    assert.notEqual(sealed, again)
    assert.ok(!sealed.includes('secret') && !Buffer.from(sealed, 'base64url').includes('secret'))
    assert.throws(() => sealing.open(sealed, 'b'))
  })

  it('is not opened once it was changed', () => {
    const sealed = sealing.seal('text', 'a')
    const changed = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BA' : 'AA')

    assert.throws(() => sealing.open(changed, 'a'))
    assert.throws(() => sealing.open(`${sealing.keyId}.`, 'a'))
  })

  it('is opened under both keys while keys are exchanged, and sealed under the first', () => {
    const exchanging = openSealing([second, first])
    const sealed = exchanging.seal('text', 'a')

    assert.equal(exchanging.open(sealing.seal('text', 'a'), 'a'), 'text')
    assert.equal(openSealing([second]).open(sealed, 'a'), 'text')
    assert.equal(sealing.open(sealed, 'a'), undefined)
    assert.deepEqual([exchanging.keyId === sealing.keyId, sealed.startsWith(exchanging.keyId)], [false, true])
  })
})
