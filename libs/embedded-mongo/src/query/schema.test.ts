import assert from 'node:assert/strict'
import { Decimal128, Double, Int32, Long } from 'bson'
import { MongoError } from '../values/errors.ts'
import type { Doc } from '../values/values.ts'
import { compileFilter } from './match.ts'

const int = (n: number) => new Int32(n)

/** schema, documents that pass, documents that do not */
const cases: [Doc, Doc[], Doc[]][] = [
  [{ required: ['a', 'b'] }, [{ a: null, b: int(1) }], [{ a: int(1) }]],
  [{ properties: { a: { bsonType: 'long' } } }, [{}, { a: Long.ONE }], [{ a: int(1) }]],
  [{ properties: { a: { bsonType: ['string', 'null'] } } }, [{ a: 'x' }, { a: null }], [{ a: int(1) }]],
  [{ properties: { a: { type: 'number' } } }, [{ a: Decimal128.fromString('1') }], [{ a: '1' }]],
  [{ properties: { a: { enum: ['x', int(1)] } } }, [{ a: new Double(1) }, { a: 'x' }], [{ a: 'y' }]],
  [
    { properties: { a: { minimum: int(1), maximum: int(3) } } },
    [{ a: int(1) }, { a: Decimal128.fromString('3') }, { a: 'x' }],
    [{ a: int(0) }, { a: new Double(3.1) }],
  ],
  [{ properties: { a: { minimum: int(1), exclusiveMinimum: true } } }, [{ a: int(2) }], [{ a: int(1) }]],
  [
    { properties: { a: { multipleOf: Decimal128.fromString('0.1') } } },
    [{ a: Decimal128.fromString('0.3') }],
    [{ a: Decimal128.fromString('0.35') }],
  ],
  [
    { properties: { a: { minLength: int(2), maxLength: int(3), pattern: '^x' } } },
    [{ a: 'xy' }, { a: 'x😀' }],
    [{ a: 'x' }, { a: 'xxxx' }, { a: 'yy' }],
  ],
  [
    { properties: { a: { items: { bsonType: 'int' }, minItems: int(1), uniqueItems: true } } },
    [{ a: [int(1), int(2)] }],
    [{ a: [] }, { a: [int(1), int(1)] }, { a: ['x'] }],
  ],
  [{ properties: { a: { items: [{ bsonType: 'int' }], additionalItems: false } } }, [{ a: [int(1)] }], [{ a: [int(1), int(2)] }]],
  [{ properties: { a: {} }, additionalProperties: false }, [{ a: int(1) }], [{ a: int(1), b: int(1) }]],
  [
    { patternProperties: { '^n_': { bsonType: 'int' } }, additionalProperties: { bsonType: 'string' } },
    [{ n_a: int(1), s: 'x' }],
    [{ n_a: 'x' }, { s: int(1) }],
  ],
  [{ dependencies: { a: ['b'] } }, [{ b: int(1) }, { a: int(1), b: int(1) }], [{ a: int(1) }]],
  [{ minProperties: int(1), maxProperties: int(2) }, [{ a: int(1) }], [{}, { a: int(1), b: int(1), c: int(1) }]],
  [{ anyOf: [{ required: ['a'] }, { required: ['b'] }] }, [{ a: int(1) }, { a: int(1), b: int(1) }], [{}]],
  [{ oneOf: [{ required: ['a'] }, { required: ['b'] }] }, [{ a: int(1) }], [{ a: int(1), b: int(1) }]],
  [{ allOf: [{ required: ['a'] }], not: { required: ['b'] } }, [{ a: int(1) }], [{ a: int(1), b: int(1) }]],
  [
    { properties: { a: { bsonType: 'object', properties: { b: { bsonType: 'int' } }, title: 'inner', description: 'text' } } },
    [{ a: { b: int(1) } }],
    [{ a: { b: 'x' } }],
  ],
]

describe('schema', () => {
  for (const [schema, passing, failing] of cases) {
    it(`checks ${JSON.stringify(schema)}`, () => {
      const passes = compileFilter({ $jsonSchema: schema })

      for (const doc of passing) assert.equal(passes(doc), true, JSON.stringify(doc))
      for (const doc of failing) assert.equal(passes(doc), false, JSON.stringify(doc))
    })
  }

  it('refuses what is no schema', () => {
    for (const schema of [
      { nonsense: int(1) },
      { $ref: 'x' },
      { required: [] },
      { properties: { a: { minLength: int(-1) } } },
      { multipleOf: int(0) },
    ]) {
      assert.throws(
        () => compileFilter({ $jsonSchema: schema }),
        (error: unknown) => error instanceof MongoError && error.code === 9,
        JSON.stringify(schema),
      )
    }
  })
})
