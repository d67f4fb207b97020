import assert from 'node:assert/strict'
import fc from 'fast-check'
import { z } from 'zod'
import { handle, intQuery, pageQuery, skillSlug, skillsIn, text, text0, urlIn, usdIn, usdQuery, uuid, walletIn } from './fields.ts'
import { usd } from './money.ts'

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const hasControl = (s: string) => /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Surrogate}/u.test(s)

describe('text', () => {
  it('counts characters after trimming and stores NFC', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.integer({ min: 1, max: 20 }), (value, max) => {
        const stored = value.normalize('NFC').trim()
        const fits = !hasControl(value) && [...stored].length <= max

        assert.equal(accepts(text0(max), value), fits)
        assert.equal(accepts(text(max), value), fits && stored !== '')
        if (fits) assert.equal(text0(max).parse(value), stored)
      }),
      { numRuns: 1000 },
    )
  })

  it('refuses what is no string', () => {
    for (const odd of [1, null, undefined, {}, [], true]) assert.equal(accepts(text(10), odd), false)
  })

  it('refuses control characters and half characters, accepts tab and newline', () => {
    for (const bad of ['a\u0000', 'a\rb', '\u0085', '\ud800']) assert.equal(accepts(text(10), bad), false, JSON.stringify(bad))
    assert.equal(text(10).parse('a\tb\nc'), 'a\tb\nc')
  })
})

describe('ids and names', () => {
  it('accept wallets in upper and lower case, compare them in lower case, and never the zero address', () => {
    const hex = fc.array(fc.constantFrom(...'0123456789abcdefABCDEF'), { minLength: 40, maxLength: 40 }).map(digits => `0x${digits.join('')}`)
    fc.assert(fc.property(hex, wallet => assert.equal(walletIn.parse(wallet), wallet.toLowerCase())))

    for (const bad of [`0x${'0'.repeat(40)}`, `0x${'a'.repeat(39)}`, `0x${'a'.repeat(41)}`, 'a'.repeat(40), `0x${'g'.repeat(40)}`])
      assert.equal(accepts(walletIn, bad), false, bad)
  })

  it('accept UUIDs in upper and lower case', () => {
    fc.assert(fc.property(fc.uuid(), id => assert.equal(uuid.parse(id.toUpperCase()), id)))
    assert.equal(accepts(uuid, 'x'), false)
  })

  it('accept handles of 3 to 32 without a hyphen at either end', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9-]{1,35}$/), value => {
        const right = value.length >= 3 && value.length <= 32 && !value.startsWith('-') && !value.endsWith('-')
        assert.equal(accepts(handle, value), right)
      }),
    )
    for (const bad of ['No Good!', 'ab', 'ABC', 'a_b', 'a.b']) assert.equal(accepts(handle, bad), false, bad)
  })

  it('lower-case skills and drop doubles', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9+#._-]{0,63}$/), slug => assert.equal(skillSlug.parse(` ${slug} `), slug.toLowerCase())),
    )
    assert.deepEqual(skillsIn.parse(['Solidity', 'solidity', 'c++']), ['solidity', 'c++'])
    for (const bad of ['', '-a', 'a'.repeat(65), 'ä']) assert.equal(accepts(skillSlug, bad), false, bad)
    assert.equal(accepts(skillsIn, Array(21).fill('a')), false)
  })

  it('accept web addresses of at most 500 characters without credentials', () => {
    fc.assert(fc.property(fc.webUrl({ size: 'small' }), url => assert.equal(urlIn.parse(url), url)))
    for (const bad of [
      'ftp://a.org',
      'javascript:alert(1)',
      'https://u:p@a.org',
      'a.org',
      `https://a.org/${'x'.repeat(500)}`,
      'https://a.org/\u0001',
    ])
      assert.equal(accepts(urlIn, bad), false, bad)
  })
})

describe('amounts and pages', () => {
  it('become micro-USDC within their bounds', () => {
    const schema = usdIn({ min: 10_000n, max: 50_000_000_000n })
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 100_000_000_000n }), micro => {
        const parsed = schema.safeParse(usd(micro))

        assert.equal(parsed.success, micro >= 10_000n && micro <= 50_000_000_000n)
        if (parsed.success) assert.equal(parsed.data, micro)
      }),
    )
    assert.equal(accepts(usdIn(), 0), false)
    assert.equal(usdIn({ zero: true }).parse(0), 0n)
    for (const bad of ['5', null, -1, 1e-7, Number.NaN, 2e9]) assert.equal(accepts(usdIn(), bad), false, String(bad))
  })

  it('are read from the query as text', () => {
    assert.equal(usdQuery.parse('12.5'), 12_500_000n)
    for (const bad of ['', '-1', '1e3', '1.0000001', 'abc', '0x10']) assert.equal(accepts(usdQuery, bad), false, bad)
  })

  it('lower a limit above 100, refuse one below 1 or no whole number', () => {
    const page = z.object(pageQuery)

    assert.deepEqual(page.parse({}), { limit: 20, offset: 0 })
    assert.deepEqual(page.parse({ limit: '500', offset: '7' }), { limit: 100, offset: 7 })
    for (const limit of ['0', '-1', '1.5', 'x', '', ' 5']) assert.equal(accepts(page, { limit }), false, limit)
    for (const offset of ['-1', '1.5', 'x']) assert.equal(accepts(page, { offset }), false, offset)
  })

  it('read whole numbers of a range', () => {
    fc.assert(fc.property(fc.integer({ min: -50, max: 500 }), n => assert.equal(accepts(intQuery(1, 100), String(n)), n >= 1 && n <= 100)))
  })
})
