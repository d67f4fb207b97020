import assert from 'node:assert/strict'
import { Binary, BSONRegExp, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson'
import fc from 'fast-check'
import { encodeKey, identity, keyOrderLength, maxKeyLength } from './key.ts'
import { compare } from './order.ts'

const decimal = (s: string) => Decimal128.fromString(s)

const numbers: unknown[] = [
  new Double(Number.NaN),
  new Double(-Infinity),
  decimal('-1E6000'),
  new Double(-Number.MAX_VALUE),
  Long.MIN_VALUE,
  Long.fromString('-9007199254740993'),
  new Double(-9007199254740992),
  Long.fromString('-9007199254740991'),
  decimal('-0.1'),
  decimal('-1E-6000'),
  new Int32(0),
  decimal('1E-6176'),
  new Double(Number.MIN_VALUE),
  decimal('0.1'),
  new Double(0.1),
  decimal('0.1000000000000000055511151231257828'),
  decimal('0.9999999999999999999999999999999999'),
  new Int32(1),
  new Double(1.5),
  decimal('9.99'),
  new Int32(10),
  Long.fromString('9007199254740991'),
  new Double(9007199254740992),
  Long.fromString('9007199254740993'),
  new Double(9007199254740994),
  decimal('9007199254740994.5'),
  Long.fromString('9223372036854775806'),
  Long.MAX_VALUE,
  new Double(2 ** 63),
  new Double(Number.MAX_VALUE),
  decimal('1.797693134862315708145274237317044E+308'),
  decimal('1E400'),
  decimal('9.999999999999999999999999999999999E+6144'),
  new Double(Infinity),
]

const scalar = fc.oneof(
  fc.constantFrom(...numbers),
  fc.integer().map(n => new Int32(n | 0)),
  fc.double().map(n => new Double(n)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(n => Long.fromBigInt(n)),
  fc.tuple(fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }), fc.integer({ min: -6100, max: 6100 })).map(([c, e]) => decimal(`${c}E${e}`)),
  fc.tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: -20, max: 3 })).map(([c, e]) => decimal(`${c}E${e}`)),
  fc.string({ unit: fc.constantFrom('a', 'b', '\0', '\x01', '\x7f', 'é', '\ue000', '\uffff', '𐀀', '😀'), maxLength: 4 }),
  fc.boolean(),
  fc.constantFrom(null, undefined, new MinKey(), new MaxKey()),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ maxLength: 4 }).map(b => new Binary(b, b.length % 3)),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map(b => new ObjectId(b)),
  fc.tuple(fc.nat({ max: 2 ** 32 - 1 }), fc.nat({ max: 2 ** 32 - 1 })).map(([t, i]) => new Timestamp({ t, i })),
  fc.constantFrom(new BSONRegExp('a', ''), new BSONRegExp('a', 'i'), new BSONRegExp('ab', '')),
)

const value = fc.letrec(tie => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 5, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie('node'), { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('a', 'b', 'ab', '__proto__', 'constructor'), tie('node'), { maxKeys: 3 }) },
  ),
})).node

const sign = (n: number) => Math.sign(n) + 0

describe('order', () => {
  it('puts numbers of all types in the order of their exact values', () => {
    for (let i = 0; i < numbers.length; i++) {
      for (let j = 0; j < numbers.length; j++) {
        assert.equal(sign(compare(numbers[i], numbers[j])), Math.sign(i - j) + 0, `${numbers[i]} against ${numbers[j]}`)
      }
    }
  })

  it('holds equal what is equal in another type', () => {
    const equals: [unknown, unknown][] = [
      [new Int32(3), decimal('3.00')],
      [Long.fromNumber(3), new Double(3)],
      [new Double(-0), new Int32(0)],
      [decimal('-0'), new Double(0)],
      [new Double(Number.NaN), decimal('NaN')],
      [decimal('Infinity'), new Double(Infinity)],
      [decimal('0.5'), new Double(0.5)],
      [Long.fromString('9007199254740993'), decimal('9007199254740993.0')],
      [null, undefined],
    ]

    for (const [a, b] of equals) {
      assert.equal(compare(a, b), 0)
      assert.deepEqual(encodeKey([a]), encodeKey([b]))
      assert.equal(identity(a), identity(b))
    }
  })

  it('puts types in the order that MongoDB documents', () => {
    const ascending = [
      new MinKey(),
      null,
      new Int32(9),
      'a',
      { a: 1 },
      [1],
      new Binary(Buffer.from('x')),
      new ObjectId(),
      false,
      new Date(),
      new Timestamp({ t: 1, i: 1 }),
      new BSONRegExp('a'),
      new MaxKey(),
    ]

    for (let i = 1; i < ascending.length; i++) assert.ok(compare(ascending[i - 1], ascending[i]) < 0, `at ${i}`)
  })

  it('gives keys whose byte order is the order of the values', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        assert.equal(sign(Buffer.compare(encodeKey([a]).key, encodeKey([b]).key)), sign(compare(a, b)))
        assert.equal(identity(a) === identity(b) || (Number.isNaN(identity(a)) && Number.isNaN(identity(b))), compare(a, b) === 0)
      }),
      { numRuns: 3000 },
    )
  })

  it('orders compound keys component by component, each in its direction', () => {
    const direction = fc.constantFrom<1 | -1>(1, -1)
    fc.assert(
      fc.property(fc.tuple(scalar, scalar), fc.tuple(scalar, scalar), fc.tuple(direction, direction), (a, b, d) => {
        const expected = compare(a[0], b[0]) * d[0] || compare(a[1], b[1]) * d[1]

        assert.equal(sign(Buffer.compare(encodeKey(a, d).key, encodeKey(b, d).key)), sign(expected))
        assert.ok(
          encodeKey(a, d)
            .key.subarray(0, encodeKey([a[0]], d).key.length)
            .equals(encodeKey([a[0]], d).key),
        )
      }),
    )
  })

  it('is a total order', () => {
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        assert.equal(sign(compare(a, b)), -sign(compare(b, a)) + 0)
        if (compare(a, b) <= 0 && compare(b, c) <= 0) assert.ok(compare(a, c) <= 0)
      }),
    )
  })

  it('cuts long keys, marks them, and still distinguishes the values', () => {
    const [a, b] = ['x'.repeat(5000), `${'x'.repeat(4999)}y`].map(s => encodeKey([s]))

    assert.equal(a!.key.length, maxKeyLength)
    assert.equal(a!.exact, false)
    assert.ok(!a!.key.equals(b!.key))
    assert.ok(a!.key.subarray(0, keyOrderLength).equals(b!.key.subarray(0, keyOrderLength)))
  })
})
