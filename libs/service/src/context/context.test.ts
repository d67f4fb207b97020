import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expiry, keysAccepted, type RequestContext, signContext, verifyContext } from './context.ts'

const key = 'k'.repeat(32)
const context: RequestContext = { mode: 'signed', ip: '::1', expires: Date.now() + 60_000 }
const vouch = (body: string, by = key) => `${body}.${createHmac('sha256', by).update(body).digest('base64url')}`
const encode = (text: string) => Buffer.from(text).toString('base64url')

describe('the signed context', () => {
  it('comes back as it was signed', () => {
    assert.deepEqual(verifyContext(signContext(context, key), [key]), context)
  })

  it('is accepted between all processes while each of them exchanges the key for another', () => {
    const next = 'n'.repeat(32)
    const steps: [signs: string, accepts: string | undefined][] = [
      [key, undefined],
      [key, next],
      [next, key],
      [next, undefined],
    ]
    // those that have made a step and those that have not yet run side by side
    for (const [n, [signs, accepts]] of steps.slice(1).entries()) {
      const [signed, accepted] = steps[n]!
      assert.ok(verifyContext(signContext(context, signs), keysAccepted(signed, { INTERNAL_KEY_ACCEPTED: accepted })), `step ${n + 1}`)
      assert.ok(verifyContext(signContext(context, signed), keysAccepted(signs, { INTERNAL_KEY_ACCEPTED: accepts })), `step ${n + 1}`)
    }
    assert.equal(verifyContext(signContext(context, key), keysAccepted(next, { INTERNAL_KEY_ACCEPTED: undefined })), undefined)
  })

  it('is base64url JSON and HMAC-SHA256, for any length of the key', () => {
    for (const by of ['k', key, 'long'.repeat(40)]) assert.equal(signContext(context, by), vouch(encode(JSON.stringify(context)), by))
  })

  it('is none when it is missing, cut short, forged, of another key or changed', () => {
    const right = signContext(context, key)
    const [body = '', mac = ''] = right.split('.')
    const none = [
      undefined,
      '',
      '.',
      body,
      `${body}.`,
      `.${mac}`,
      `${body}.${mac.slice(0, -4)}`,
      `${body}.${mac}AAAA`,
      `${body.slice(0, -1)}.${mac}`,
      `${encode(JSON.stringify({ ...context, mode: 'internal' }))}.${mac}`,
      signContext(context, 'x'.repeat(32)),
      `${right}, ${right}`,
    ]

    for (const header of none) assert.equal(verifyContext(header, [key]), undefined, header)
  })

  it('is none once it has expired', () => {
    const header = signContext(context, key)

    assert.ok(verifyContext(header, [key], context.expires - 1))
    assert.equal(verifyContext(header, [key], context.expires), undefined)
  })

  it('stays the same header for a caller from one step of its expiry to the next', () => {
    const now = 1_700_000_000_000

    const headers = [1, 5_000, 5_001].map(later => signContext({ mode: 'plain', expires: expiry(now + later) }, key))

    assert.equal(headers[0], headers[1])
    assert.notEqual(headers[1], headers[2])
    assert.ok(verifyContext(headers[0], [key], now + 30_000))
  })

  it('is right for more callers than are remembered', () => {
    for (const round of [1, 2])
      for (let n = 0; n < 1_500; n++) {
        const one = { ...context, ip: `${n}` }
        assert.deepEqual(verifyContext(signContext(one, key), [key]), one, `round ${round}`)
      }
  })

  it('is none when what was signed is no context', () => {
    for (const text of ['', 'no json', '{', 'null', '5', '"text"', '[]', '{}', '{"expires":"soon"}', '{"expires":null}', '\u0000'])
      assert.equal(verifyContext(vouch(encode(text)), [key]), undefined, text)
  })

  it('is none, never an exception, for any header', () => {
    const header = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary' }).map(text => vouch(text)),
      fc.base64String().map(text => vouch(text)),
    )

    fc.assert(
      fc.property(header, text => {
        assert.equal(verifyContext(text, [key]), undefined)
      }),
      { numRuns: 1_000 },
    )
  })
})
