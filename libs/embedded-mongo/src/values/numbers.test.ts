import assert from 'node:assert/strict'
import { Decimal128, Double, Int32, Long } from 'bson'
import fc from 'fast-check'
import { decimalOfExact, exactOfDecimal, exactOfDouble, nearestDouble } from './decimal.ts'
import { add, divide, modulo, multiply, subtract } from './numbers.ts'
import { equal } from './order.ts'
import { identical } from './values.ts'

const dec = (s: string) => Decimal128.fromString(s)
const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const coefficient = fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n })

describe('numbers', () => {
  it('reads and writes every Decimal128', () => {
    fc.assert(
      fc.property(coefficient, fc.integer({ min: -6176, max: 6111 }), (coef, exp) => {
        const d = dec(`${coef}E${exp}`)

        assert.ok(identical(decimalOfExact(exactOfDecimal(d) as { coef: bigint; exp: number }), coef === 0n ? dec(`0E${exp}`) : d))
      }),
    )
  })

  it('rounds to 34 digits, half to even', () => {
    assert.equal(decimalOfExact({ coef: 10n ** 35n + 5n, exp: 0 }).toString(), '1.000000000000000000000000000000000E+35')
    assert.equal(decimalOfExact({ coef: 12n * 10n ** 33n + 15n, exp: 0 }).toString(), '1.200000000000000000000000000000002E+34')
    assert.equal(decimalOfExact({ coef: 1n, exp: 6145 }).toString(), 'Infinity')
    assert.equal(decimalOfExact({ coef: 1n, exp: 6144 }).toString(), dec('1E6144').toString())
    assert.equal(decimalOfExact({ coef: 5n, exp: -6177 }).toString(), '0E-6176')
    assert.equal(decimalOfExact({ coef: 15n, exp: -6177 }).toString(), '2E-6176')
  })

  it('holds every double exactly', () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), d => {
        assert.equal(nearestDouble(exactOfDouble(d)), d + 0)
      }),
    )
  })

  it('adds, subtracts and multiplies int64 exactly, and says so when one overflows', () => {
    const fits = (n: bigint) => n === BigInt.asIntN(64, n)
    fc.assert(
      fc.property(long, long, (a, b) => {
        const [x, y] = [Long.fromBigInt(a), Long.fromBigInt(b)]

        assert.equal(add(x, y)?.toString(), fits(a + b) ? String(a + b) : undefined)
        assert.equal(subtract(x, y)?.toString(), fits(a - b) ? String(a - b) : undefined)
        assert.equal(multiply(x, y)?.toString(), fits(a * b) ? String(a * b) : undefined)
      }),
    )
  })

  it('stays int32 while the result fits, then becomes int64', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (a, b) => {
        const product = multiply(new Int32(a), new Int32(b))!
        const exact = BigInt(a) * BigInt(b)

        assert.equal(product.toString(), String(exact))
        assert.equal(product instanceof Int32, exact === BigInt.asIntN(32, exact))
      }),
    )
  })

  it('computes with decimals exactly as far as 34 digits go', () => {
    assert.ok(identical(add(dec('0.1'), dec('0.2')), dec('0.3')))
    assert.ok(identical(subtract(new Int32(1), dec('0.1')), dec('0.9')))
    assert.ok(identical(multiply(dec('1.10'), new Int32(3)), dec('3.30')))
    assert.ok(identical(divide(dec('1'), dec('3')), dec('0.3333333333333333333333333333333333')))
    assert.ok(identical(divide(dec('2'), dec('3')), dec('0.6666666666666666666666666666666667')))
    assert.ok(identical(modulo(dec('-7.5'), new Int32(2)), dec('-1.5')))
    assert.equal(add(dec('Infinity'), dec('-Infinity'))!.toString(), 'NaN')
  })

  it('subtracts what it added', () => {
    const cents = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }).map(n => dec(`${n}E-2`))
    fc.assert(
      fc.property(cents, cents, (a, b) => {
        assert.ok(equal(subtract(add(a, b)!, b), a))
      }),
    )
    assert.ok(identical(divide(new Int32(7), new Int32(2)), new Double(3.5)))
  })
})
