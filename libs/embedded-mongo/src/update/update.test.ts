import assert from 'node:assert/strict'
import { BSONRegExp, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson'
import fc from 'fast-check'
import { MongoError } from '../values/errors.ts'
import { type Doc, identical } from '../values/values.ts'
import { compileUpdate, isReplacement, upsertSeed } from './update.ts'

const int = (n: number) => new Int32(n)
const decimal = (s: string) => Decimal128.fromString(s)
const now = new Date('2026-01-02T03:04:05Z')

const apply = (doc: Doc, update: Doc | Doc[], options: { arrayFilters?: Doc[]; filter?: Doc; isUpsertInsert?: boolean } = {}) =>
  compileUpdate(update, { now, ...options })(doc)

/** title, document, update, result, options */
const cases: [string, Doc, Doc | Doc[], Doc, Parameters<typeof apply>[2]?][] = [
  ['$set of new and old fields', { _id: int(1), a: int(1) }, { $set: { b: 'x', a: int(2) } }, { _id: int(1), a: int(2), b: 'x' }],
  ['$set through documents it makes', { a: {} }, { $set: { 'a.b.c': int(1) } }, { a: { b: { c: int(1) } } }],
  [
    '$set of new fields in order of name',
    {},
    { $set: { b: int(1), a: int(2), 'c.10': int(3), 'c.9': int(4) } },
    { a: int(2), b: int(1), c: { 9: int(4), 10: int(3) } },
  ],
  ['$set beyond an array, with nulls between', { a: [int(1)] }, { $set: { 'a.3': int(4) } }, { a: [int(1), null, null, int(4)] }],
  ['$set of a name that begins with $, below the top', { x: {} }, { $set: { 'x.$z': int(1) } }, { x: { $z: int(1) } }],
  ['$set of a $ name in a document that it makes', {}, { $set: { 'x.$z.$[': int(1) } }, { x: { $z: { '$[': int(1) } } }],
  ['$inc of a $ name in an array element', { x: [{ $z: int(1) }] }, { $inc: { 'x.0.$z': int(2) } }, { x: [{ $z: int(3) }] }],
  ['$rename to and from $ names', { a: int(1), x: { $y: int(2) } }, { $rename: { a: 'x.$z', 'x.$y': 'b' } }, { x: { $z: int(1) }, b: int(2) }],
  ['$unset of a $ name at the top', { $a: int(1), b: int(2) }, { $unset: { $a: '' } }, { b: int(2) }],
  ['$set of a $ name at the top to what it is', { $a: int(1) }, { $set: { $a: int(1) } }, { $a: int(1) }],
  ['$set inside an array element', { a: [{ b: int(1) }] }, { $set: { 'a.0.b': int(2) } }, { a: [{ b: int(2) }] }],
  ['$set of another type of the same value', { a: int(1) }, { $set: { a: new Double(1) } }, { a: new Double(1) }],
  ['$unset', { a: int(1), b: { c: int(1), d: int(2) } }, { $unset: { a: '', 'b.c': '', 'x.y': '' } }, { b: { d: int(2) } }],
  ['$unset of an array element', { a: [int(1), int(2)] }, { $unset: { 'a.0': '' } }, { a: [null, int(2)] }],
  ['$inc of int32', { a: int(1) }, { $inc: { a: int(2), b: int(5) } }, { a: int(3), b: int(5) }],
  ['$inc that outgrows int32', { a: int(2 ** 31 - 1) }, { $inc: { a: int(1) } }, { a: Long.fromNumber(2 ** 31) }],
  ['$inc of int64', { a: Long.fromString('9007199254740993') }, { $inc: { a: int(1) } }, { a: Long.fromString('9007199254740994') }],
  ['$inc of Decimal128', { a: decimal('0.10') }, { $inc: { a: decimal('0.20') } }, { a: decimal('0.30') }],
  ['$inc of an int by a double', { a: int(1) }, { $inc: { a: new Double(0.5) } }, { a: new Double(1.5) }],
  [
    '$mul',
    { a: int(3), d: decimal('1.5') },
    { $mul: { a: Long.fromNumber(2), d: int(3), n: new Double(9) } },
    { a: Long.fromNumber(6), d: decimal('4.5'), n: new Double(0) },
  ],
  [
    '$min and $max',
    { a: int(5), b: int(5) },
    { $min: { a: decimal('4.9'), c: int(1) }, $max: { b: int(4) } },
    { a: decimal('4.9'), b: int(5), c: int(1) },
  ],
  ['$rename', { a: { b: int(1) }, c: int(0) }, { $rename: { 'a.b': 'c', nothing: 'x' } }, { a: {}, c: int(1) }],
  [
    '$currentDate',
    {},
    { $currentDate: { a: true, b: { $type: 'timestamp' } } },
    { a: now, b: new Timestamp({ t: Math.floor(now.getTime() / 1000), i: 1 }) },
  ],
  ['$bit', { a: int(13), b: Long.fromNumber(1) }, { $bit: { a: { and: int(10) }, b: { or: int(6) } } }, { a: int(8), b: Long.fromNumber(7) }],
  ['$push', { a: [int(1)] }, { $push: { a: int(2), b: int(1) } }, { a: [int(1), int(2)], b: [int(1)] }],
  [
    '$push with all modifiers',
    { a: [int(5), int(1)] },
    { $push: { a: { $each: [int(3), int(4)], $sort: int(-1), $slice: int(3) } } },
    { a: [int(5), int(4), int(3)] },
  ],
  [
    '$push at a position',
    { a: [int(1), int(4)] },
    { $push: { a: { $each: [int(2), int(3)], $position: int(-1) } } },
    { a: [int(1), int(2), int(3), int(4)] },
  ],
  [
    '$push sorted by a field',
    { a: [{ n: int(2) }] },
    { $push: { a: { $each: [{ n: int(1) }], $sort: { n: int(1) }, $slice: int(-5) } } },
    { a: [{ n: int(1) }, { n: int(2) }] },
  ],
  ['$addToSet', { a: [int(1)] }, { $addToSet: { a: { $each: [Long.fromNumber(1), int(2), int(2)] } } }, { a: [int(1), int(2)] }],
  ['$pop', { a: [int(1), int(2)], b: [int(1), int(2)] }, { $pop: { a: int(1), b: int(-1) } }, { a: [int(1)], b: [int(2)] }],
  ['$pull of values', { a: [int(1), int(5), int(9)] }, { $pull: { a: { $gte: int(5) } } }, { a: [int(1)] }],
  ['$pull of documents by fields', { a: [{ x: int(1), y: int(1) }, { x: int(2) }] }, { $pull: { a: { x: int(1) } } }, { a: [{ x: int(2) }] }],
  ['$pull by pattern', { a: ['xa', 'b'] }, { $pull: { a: new BSONRegExp('^x') } }, { a: ['b'] }],
  ['$pullAll', { a: [int(1), int(2), int(1)] }, { $pullAll: { a: [int(1)] } }, { a: [int(2)] }],
  [
    'the positional operator',
    { a: [{ b: int(1) }, { b: int(2) }] },
    { $set: { 'a.$.b': int(9) } },
    { a: [{ b: int(1) }, { b: int(9) }] },
    { filter: { 'a.b': int(2) } },
  ],
  ['all elements', { a: [{ b: int(1) }, { b: int(2) }] }, { $inc: { 'a.$[].b': int(10) } }, { a: [{ b: int(11) }, { b: int(12) }] }],
  [
    'filtered elements',
    {
      a: [
        { b: int(1), c: [int(1), int(2)] },
        { b: int(2), c: [int(1)] },
      ],
    },
    { $set: { 'a.$[x].c.$[y]': int(0) } },
    {
      a: [
        { b: int(1), c: [int(0), int(2)] },
        { b: int(2), c: [int(1)] },
      ],
    },
    { arrayFilters: [{ 'x.b': int(1) }, { y: { $lt: int(2) } }] },
  ],
  ['$setOnInsert on insert', { _id: int(1) }, { $setOnInsert: { a: int(1) } }, { _id: int(1), a: int(1) }, { isUpsertInsert: true }],
  ['no $setOnInsert on update', { _id: int(1) }, { $setOnInsert: { a: int(1) } }, { _id: int(1) }],
  ['a replacement, with _id still first', { a: int(1), _id: int(7) }, { b: int(2) }, { _id: int(7), b: int(2) }],
  ['a pipeline', { _id: int(1), a: int(2) }, [{ $set: { b: { $multiply: ['$a', int(3)] } } }, { $unset: 'a' }], { _id: int(1), b: int(6) }],
]

const refused: [Doc, Doc | Doc[], number, Parameters<typeof apply>[2]?][] = [
  [{ _id: int(1) }, { $set: { _id: int(2) } }, 66],
  [{ _id: int(1) }, { $unset: { _id: '' } }, 66],
  [{ _id: int(1) }, { _id: int(2), a: int(1) }, 66],
  [{ _id: int(1) }, [{ $set: { _id: int(2) } }], 66],
  [{}, { $set: { a: int(1) }, $inc: { a: int(1) } }, 40],
  [{}, { $set: { a: int(1), 'a.b': int(1) } }, 40],
  [{}, { $rename: { a: 'b' }, $set: { b: int(1) } }, 40],
  [{ a: int(1) }, { $set: { 'a.b': int(1) } }, 28],
  [{ a: [int(1)] }, { $set: { 'a.b': int(1) } }, 28],
  [{ a: 'x' }, { $inc: { a: int(1) } }, 14],
  [{ a: null }, { $inc: { a: int(1) } }, 14],
  [{ a: int(1) }, { $inc: { a: 'x' } }, 14],
  [{ a: Long.MAX_VALUE }, { $inc: { a: int(1) } }, 2],
  [{ a: int(1) }, { $push: { a: int(1) } }, 2],
  [{ a: int(1) }, { $pop: { a: int(1) } }, 14],
  [{ a: [] }, { $pop: { a: int(2) } }, 9],
  [{ a: int(1) }, { $pull: { a: int(1) } }, 2],
  [{}, { $nonsense: { a: int(1) } }, 9],
  [{}, { $set: int(1) }, 9],
  [{}, { $set: { '': int(1) } }, 56],
  [{}, { $set: { 'a..b': int(1) } }, 56],
  [{}, { $set: { $b: int(1) } }, 52],
  [{ $b: int(1) }, { $inc: { $b: int(1) } }, 52],
  [{ a: int(1) }, { $rename: { a: '$b' } }, 52],
  [{ a: [] }, { $set: { 'a.$.b.$': int(1) } }, 2],
  [{}, { a: int(1), $set: { b: int(1) } }, 52],
  [{ a: [int(1)] }, { $set: { 'a.$': int(1) } }, 2],
  [{ a: [int(1)] }, { $set: { 'a.$[x]': int(1) } }, 2],
  [{ a: [int(1)] }, { $set: { 'a.$[x]': int(1) } }, 9, { arrayFilters: [{ x: int(1) }, { y: int(1) }] }],
  [{}, { $set: { 'a.$[]': int(1) } }, 2],
  [{ a: [] }, { $set: { 'a.99999999': int(1) } }, 2],
  [{}, { $rename: { a: int(1) } }, 2],
  [{ a: [{ b: int(1) }] }, { $rename: { 'a.b': 'c' } }, 2],
  [{}, [{ $match: {} }], 72],
  [{}, { $set: { [Array(200).fill('a').join('.')]: int(1) } }, 15],
]

describe('update', () => {
  for (const [title, doc, update, expected, options] of cases) {
    it(`applies ${title}`, () => {
      const before = structuredClone(Object.keys(doc))
      const { doc: after, changed } = apply(doc, update, options)

      assert.ok(identical(after, expected), JSON.stringify(after))
      assert.deepEqual(Object.keys(doc), before)
      assert.equal(changed, !identical(doc, after))
    })
  }

  it('refuses what MongoDB refuses, with its codes', () => {
    for (const [doc, update, code, options] of refused) {
      assert.throws(
        () => apply(doc, update, options),
        (error: unknown) => error instanceof MongoError && error.code === code,
        `${code} for ${JSON.stringify(update)}`,
      )
    }
  })

  it('says so when nothing changes', () => {
    const doc = { _id: int(1), a: int(1), b: [int(1)], d: decimal('1.0') }
    for (const update of [
      { $set: { a: int(1) } },
      { $inc: { a: int(0) } },
      { $unset: { x: '' } },
      { $addToSet: { b: int(1) } },
      { $max: { a: int(0) } },
      { $pull: { b: int(9) } },
      { $set: {} },
    ]) {
      assert.equal(apply(doc, update).changed, false, JSON.stringify(update))
    }
  })

  it('preserves the types of untouched fields', () => {
    const doc = { a: new Double(1), b: Long.fromNumber(1), c: decimal('1.00'), d: { e: [new Double(2)] }, f: new ObjectId() }

    assert.ok(identical(apply(doc, { $set: { z: int(1) } }).doc, { ...doc, z: int(1) }))
  })

  it('makes own properties of hostile names and leaves every prototype alone', () => {
    const paths = ['__proto__.x', 'constructor.prototype.x', 'a.__proto__.x', 'a.constructor.prototype.x', 'toString.x']
    for (const path of paths) {
      const { doc } = apply({ a: {} }, { $set: { [path]: int(1) } })
      apply(doc, { $inc: { [path]: int(1) } })
      apply(doc, { $unset: { [path]: '' } })
    }
    const { doc } = apply({}, { $set: JSON.parse('{"__proto__": {"polluted": 1}}') as Doc })
    assert.deepEqual(Object.keys(doc), ['__proto__'])
    assert.equal(Object.getPrototypeOf(doc), Object.prototype)
    apply({}, [{ $set: { '__proto__.polluted': int(1), 'constructor.prototype.polluted': int(1) } }])
    assert.equal(({} as Doc).x, undefined)
    assert.equal(({} as Doc).polluted, undefined)
    assert.deepEqual(Object.keys(Object.prototype), [])
  })

  it('starts an upsert from the equalities of its filter', () => {
    assert.deepEqual(
      upsertSeed({ a: int(1), 'b.c': { $eq: 'x' }, d: { $gt: int(1) }, $and: [{ e: null }], f: { $in: ['one'] }, _id: int(7) }, { $set: {} }),
      { _id: int(7), a: int(1), b: { c: 'x' }, e: null, f: 'one' },
    )
    assert.deepEqual(upsertSeed({ _id: int(1), a: int(2) }, { b: int(1) }), { _id: int(1) })
    assert.throws(() => upsertSeed({ a: int(1), $and: [{ a: int(2) }] }, { $set: {} }), { code: 54 })
  })

  it('distinguishes replacements from modifications', () => {
    assert.equal(isReplacement({}), true)
    assert.equal(isReplacement({ a: int(1) }), true)
    assert.equal(isReplacement({ $set: {} }), false)
    assert.equal(isReplacement([]), false)
  })

  it('agrees with a plain model of $set, $unset and $inc', () => {
    const name = fc.constantFrom('a', 'b', 'c')
    const step = fc.record({ op: fc.constantFrom('$set', '$unset', '$inc'), name, n: fc.integer({ min: -5, max: 5 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), steps => {
        const model = new Map<string, number>()
        let doc: Doc = {}
        for (const { op, name: key, n } of steps) {
          doc = apply(doc, { [op]: { [key]: int(n) } }).doc
          if (op === '$unset') model.delete(key)
          else model.set(key, op === '$inc' ? (model.get(key) ?? 0) + n : n)
        }
        assert.deepEqual(Object.fromEntries(Object.entries(doc).map(([key, v]) => [key, (v as Int32).value])), Object.fromEntries(model))
      }),
    )
  })
})
