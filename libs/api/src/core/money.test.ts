import assert from 'node:assert/strict'
import fc from 'fast-check'
import { feeOf, formatUsdc, parseUsd, usd } from './money.ts'

const anyMicro = fc.bigInt({ min: 0n, max: 1_000_000_000_000_000n })

describe('money', () => {
  it('goes to decimal USDC and back without a loss, for every amount of 0 to 1,000,000,000', () => {
    fc.assert(
      fc.property(anyMicro, micro => assert.equal(parseUsd(usd(micro)), micro)),
      { numRuns: 2000 },
    )
  })

  it('survives JSON', () => {
    fc.assert(fc.property(anyMicro, micro => assert.equal(parseUsd(JSON.parse(JSON.stringify(usd(micro))) as number), micro)))
  })

  it('refuses what is negative, too fine, too large or no number', () => {
    for (const bad of [-1, -0.000001, 0.0000001, 1.0000001, 1_000_000_000.000001, 1e21, Number.NaN, Number.POSITIVE_INFINITY])
      assert.equal(parseUsd(bad), undefined, String(bad))
  })

  it('never reads a number as another amount than its decimal text says', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: 0, max: 1e9 }), value => {
        const micro = parseUsd(value)
        if (micro !== undefined) assert.equal(usd(micro), value)
      }),
    )
  })

  it('is written with 2 to 6 decimals', () => {
    assert.equal(formatUsdc(12_500_000n), '12.50 USDC')
    assert.equal(formatUsdc(1_000n), '0.001 USDC')
    assert.equal(formatUsdc(1_000_000_000_000n), '1000000.00 USDC')
    fc.assert(
      fc.property(anyMicro, micro => {
        const shown = formatUsdc(micro)

        assert.match(shown, /^\d+\.(\d{2}|\d{2,5}[1-9]) USDC$/)
        assert.equal(parseUsd(Number(shown.slice(0, -5))), micro)
      }),
    )
  })

  it('charges a fee that is rounded half up once, and fee + net is the amount', () => {
    assert.equal(feeOf(33_333_333n, 275), 916_667n)
    fc.assert(
      fc.property(anyMicro, fc.integer({ min: 0, max: 10_000 }), (amount, basisPoints) => {
        const fee = feeOf(amount, basisPoints)
        const net = amount - fee

        assert.ok(fee >= 0n && net >= 0n)
        assert.equal(fee + net, amount)
        assert.ok(2n * fee * 10_000n <= 2n * amount * BigInt(basisPoints) + 10_000n)
        assert.ok(2n * fee * 10_000n > 2n * amount * BigInt(basisPoints) - 10_000n)
      }),
    )
  })
})
