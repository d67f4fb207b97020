import assert from 'node:assert/strict'
import { Binary, BSONRegExp, DBRef, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId } from 'bson'
import fc from 'fast-check'
import { MongoError } from '../values/errors.ts'
import type { Position } from '../values/path.ts'
import type { Doc } from '../values/values.ts'
import { analyzeFilter } from './conjuncts.ts'
import { compileFilter, compileMatcher } from './match.ts'

const int = (n: number) => new Int32(n)
const id = new ObjectId()

/** filter, documents that match, documents that do not */
const cases: [string, Doc, Doc[], Doc[]][] = [
  [
    'equality of numbers of any type',
    { a: int(3) },
    [{ a: new Double(3) }, { a: Long.fromNumber(3) }, { a: Decimal128.fromString('3.0') }, { a: [int(1), int(3)] }],
    [{ a: '3' }, {}, { a: int(4) }],
  ],
  ['equality with null and missing', { a: null }, [{ a: null }, {}, { a: [null] }], [{ a: int(0) }, { a: [] }]],
  ['equality with null below', { 'a.b': null }, [{}, { a: int(1) }, { a: {} }, { a: [{}] }], [{ a: [] }, { a: [int(1)] }, { a: { b: int(1) } }]],
  [
    'equality of documents by order of keys',
    { a: { x: int(1), y: int(2) } },
    [{ a: { x: int(1), y: int(2) } }],
    [{ a: { y: int(2), x: int(1) } }, { a: { x: int(1) } }],
  ],
  [
    'equality of whole arrays',
    { a: [int(1), int(2)] },
    [{ a: [int(1), int(2)] }, { a: [[int(1), int(2)]] }],
    [{ a: [int(2), int(1)] }, { a: int(1) }],
  ],
  ['ids', { _id: id }, [{ _id: new ObjectId(id.toHexString()) }], [{ _id: new ObjectId() }, { _id: id.toHexString() }]],
  ['paths through arrays', { 'a.b': int(2) }, [{ a: [{ b: int(1) }, { b: int(2) }] }, { a: [{ b: [int(2)] }] }], [{ a: [[{ b: int(2) }]] }]],
  ['array indexes', { 'a.1': int(2) }, [{ a: [int(1), int(2)] }, { a: { 1: int(2) } }], [{ a: [int(2)] }]],
  ['array indexes and fields', { 'a.0.b': int(2) }, [{ a: [{ b: int(2) }] }], [{ a: [{ b: int(1) }, { b: int(2) }] }]],
  ['$ne', { a: { $ne: int(1) } }, [{}, { a: int(2) }, { a: [int(2)] }], [{ a: int(1) }, { a: [int(1), int(2)] }]],
  [
    'ranges within a type',
    { a: { $gt: int(1) } },
    [{ a: Decimal128.fromString('1.1') }, { a: [int(0), int(2)] }],
    [{ a: '2' }, { a: true }, {}, { a: int(1) }, { a: new Double(Number.NaN) }],
  ],
  ['two ranges met by two elements', { a: { $gt: int(4), $lt: int(2) } }, [{ a: [int(1), int(5)] }], [{ a: [int(3)] }]],
  ['$gte null', { a: { $gte: null } }, [{}, { a: null }], [{ a: int(1) }]],
  ['$gt MinKey', { a: { $gt: new MinKey() } }, [{ a: int(1) }, { a: 'x' }], [{ a: new MinKey() }]],
  ['$lt MaxKey', { a: { $lt: new MaxKey() } }, [{ a: int(1) }], [{ a: new MaxKey() }]],
  ['$in with a pattern', { a: { $in: [int(1), new BSONRegExp('^x')] } }, [{ a: int(1) }, { a: 'xy' }, { a: ['no', 'xy'] }], [{ a: 'yx' }, {}]],
  ['$in with null', { a: { $in: [null, int(1)] } }, [{}, { a: null }], [{ a: int(2) }]],
  ['$nin', { a: { $nin: [int(1)] } }, [{}, { a: int(2) }], [{ a: [int(1)] }]],
  ['$exists', { a: { $exists: true } }, [{ a: null }, { a: [] }], [{}]],
  ['$exists false', { 'a.b': { $exists: false } }, [{}, { a: [] }, { a: int(1) }], [{ a: { b: null } }, { a: [{}, { b: int(1) }] }]],
  ['$type by name', { a: { $type: 'objectId' } }, [{ a: id }, { a: [id] }], [{ a: 'x' }, {}]],
  ['$type number', { a: { $type: ['number', 'null'] } }, [{ a: Long.ONE }, { a: null }], [{ a: 'x' }, {}]],
  ['$type array', { a: { $type: 'array' } }, [{ a: [] }, { a: [int(1)] }], [{ a: int(1) }]],
  ['$size', { a: { $size: int(2) } }, [{ a: [int(1), [int(2)]] }], [{ a: [[int(1), int(2)]] }, { a: int(2) }]],
  ['$mod', { a: { $mod: [int(4), int(1)] } }, [{ a: int(5) }, { a: new Double(5.7) }, { a: Long.fromNumber(9) }], [{ a: int(4) }, { a: '5' }]],
  ['$mod of large int64', { a: { $mod: [int(10), int(7)] } }, [{ a: Long.MAX_VALUE }], [{ a: Long.MAX_VALUE.sub(1) }]],
  ['$all', { a: { $all: [int(1), 'x'] } }, [{ a: [int(1), 'x', 'y'] }], [{ a: [int(1)] }, { a: int(1) }]],
  ['$all of one', { a: { $all: [int(1)] } }, [{ a: int(1) }], [{}]],
  [
    '$all of $elemMatch',
    { a: { $all: [{ $elemMatch: { b: int(1) } }, { $elemMatch: { b: int(2) } }] } },
    [{ a: [{ b: int(1) }, { b: int(2) }] }],
    [{ a: [{ b: int(1) }] }],
  ],
  ['$elemMatch of values', { a: { $elemMatch: { $gt: int(1), $lt: int(4) } } }, [{ a: [int(0), int(3)] }], [{ a: [int(0), int(5)] }, { a: int(3) }]],
  [
    '$elemMatch of documents',
    { a: { $elemMatch: { x: int(1), y: int(2) } } },
    [{ a: [{ x: int(1), y: int(2) }] }],
    [{ a: [{ x: int(1) }, { y: int(2) }] }],
  ],
  ['$not', { a: { $not: { $gt: int(3) } } }, [{}, { a: int(2) }, { a: 'x' }], [{ a: int(4) }, { a: [int(1), int(4)] }]],
  ['$not of two', { 'a.b': { $not: { $gt: int(1), $lt: int(5) } } }, [{ a: [{ b: int(9) }] }], [{ a: [{ b: int(0) }, { b: int(9) }] }]],
  ['$not of a pattern', { a: { $not: new BSONRegExp('x') } }, [{ a: 'y' }, {}], [{ a: 'x' }]],
  ['$regex and $options', { a: { $regex: '^AB', $options: 'i' } }, [{ a: 'abc' }], [{ a: 'cab' }]],
  ['extended patterns', { a: { $regex: 'a b # tail', $options: 'x' } }, [{ a: 'ab' }], [{ a: 'a b' }]],
  ['inline pattern flags', { a: { $regex: '(?i)ab' } }, [{ a: 'AB' }], [{ a: 'b' }]],
  ['the very end of a text, by \\z', { a: { $regex: 'b\\z' } }, [{ a: 'ab' }], [{ a: 'ab\n' }]],
  ['the end before a final line feed, by \\Z and $', { a: { $regex: 'a\\Z|b$' } }, [{ a: 'a\n' }, { a: 'b\n' }], [{ a: 'a\n\n' }, { a: 'b\nc' }]],
  ['the start of a text by \\A in any mode', { a: { $regex: '\\Ab', $options: 'm' } }, [{ a: 'b' }], [{ a: 'a\nb' }]],
  ['POSIX classes', { a: { $regex: '^[[:alpha:]]+$' } }, [{ a: 'ab' }], [{ a: 'a1' }, { a: ':' }]],
  ['quoted text', { a: { $regex: '^\\Qa.b\\E$' } }, [{ a: 'a.b' }], [{ a: 'axb' }]],
  ['horizontal space', { a: { $regex: '^\\h$' } }, [{ a: ' ' }, { a: '\t' }], [{ a: 'h' }, { a: '\n' }]],
  ['a carriage return by a dot', { a: { $regex: '^a.b$' } }, [{ a: 'a\rb' }, { a: 'a\u2028b' }], [{ a: 'a\nb' }]],
  ['possessive quantifiers', { a: { $regex: '^a++b' } }, [{ a: 'aab' }], [{ a: 'a+b' }]],
  ['a possessive quantifier that gives nothing back', { a: { $regex: '^a++a' } }, [], [{ a: 'aaa' }]],
  ['flags within a pattern', { a: { $regex: '^a(?i)b(?-i)c' } }, [{ a: 'aBc' }], [{ a: 'ABc' }, { a: 'aBC' }]],
  ['characters beyond the first plane as one', { a: { $regex: '^.$' } }, [{ a: '😀' }, { a: 'é' }], [{ a: '😀😀' }]],
  ['words of ASCII', { a: { $regex: '^\\w$' } }, [{ a: 'x' }], [{ a: 'é' }]],
  ['letters of any case', { a: { $regex: '^É$', $options: 'i' } }, [{ a: 'é' }], [{ a: 'e' }]],
  ['plain text with escapes', { a: { $regex: '^a\\.b/c' } }, [{ a: 'a.b/cd' }], [{ a: 'axb/c' }, { a: 'xa.b/c' }]],
  ['a pattern stored as a value', { a: new BSONRegExp('x', 'i') }, [{ a: new BSONRegExp('x', 'i') }, { a: 'X' }], [{ a: new BSONRegExp('x') }]],
  ['$or', { $or: [{ a: int(1) }, { b: int(1) }] }, [{ a: int(1) }, { b: int(1) }], [{ a: int(2) }]],
  ['$nor', { $nor: [{ a: int(1) }, { b: int(1) }] }, [{ a: int(2) }], [{ b: int(1) }]],
  ['$and', { $and: [{ a: { $gt: int(1) } }, { a: { $lt: int(3) } }] }, [{ a: int(2) }], [{ a: int(3) }]],
  [
    '$bitsAllSet',
    { a: { $bitsAllSet: [int(1), int(5)] } },
    [{ a: int(54) }, { a: int(-1) }, { a: new Binary(Buffer.from([0x22])) }],
    [{ a: int(2) }, { a: 'x' }, { a: new Double(2.5) }],
  ],
  ['$bitsAnyClear', { a: { $bitsAnyClear: int(3) } }, [{ a: int(1) }], [{ a: int(3) }]],
  ['DBRefs', { 'a.$id': id }, [{ a: new DBRef('c', id) }], [{ a: new DBRef('c', new ObjectId()) }]],
  ['whole DBRefs', { a: new DBRef('c', id) }, [{ a: new DBRef('c', id) }], [{ a: new DBRef('d', id) }]],
  ['$comment', { $comment: 'why', a: int(1) }, [{ a: int(1) }], [{}]],
]

const refused: [Doc, number][] = [
  [{ $foo: int(1) }, 2],
  [{ a: { $foo: int(1) } }, 2],
  [{ a: { $gt: int(1), b: int(1) } }, 2],
  [{ a: { $in: int(1) } }, 2],
  [{ $or: [] }, 2],
  [{ $and: int(1) }, 2],
  [{ a: { $not: int(1) } }, 2],
  [{ a: { $type: 'nonsense' } }, 2],
  [{ a: { $mod: [int(0), int(1)] } }, 2],
  [{ a: { $size: int(-1) } }, 2],
  [{ a: { $elemMatch: int(1) } }, 2],
  [{ a: { $options: 'i' } }, 2],
  [{ a: { $regex: '(' } }, 51091],
  [{ $where: 'true' }, 115],
  [{ $or: [{ $text: { $search: 'x' } }] }, 2],
  [{ $where: 'true' }, 115],
  [{ $or: [{ a: { $near: [int(1), int(2)] } }] }, 2],
  [{ $or: [{ $text: { $search: 'x' } }] }, 2],
  [{ $where: 'true' }, 115],
]

describe('match', () => {
  for (const [title, filter, matching, others] of cases) {
    it(`decides ${title}`, () => {
      const matches = compileFilter(filter)

      for (const doc of matching) assert.equal(matches(doc), true, JSON.stringify(doc))
      for (const doc of others) assert.equal(matches(doc), false, JSON.stringify(doc))
    })
  }

  it('refuses unknown and unsupported operators by code and name', () => {
    for (const [filter, code] of refused) {
      assert.throws(
        () => compileFilter(filter),
        (error: unknown) => error instanceof MongoError && error.code === code,
        JSON.stringify(filter),
      )
    }
  })

  it('reports which array element matched', () => {
    const matchWithPosition = (filter: Doc, doc: Doc) => {
      const at: Position = {}
      return compileMatcher(filter)(doc, at) ? at.index : undefined
    }

    assert.equal(matchWithPosition({ a: int(3) }, { a: [int(1), int(3)] }), 1)
    assert.equal(matchWithPosition({ 'a.b': int(3) }, { a: [{ b: int(1) }, { b: int(2) }, { b: int(3) }] }), 2)
    assert.equal(matchWithPosition({ a: { $elemMatch: { b: int(2) } } }, { a: [{ b: int(1) }, { b: int(2) }] }), 1)
    assert.equal(matchWithPosition({ x: int(1) }, { x: int(1), a: [int(1)] }), undefined)
  })

  it('never reads a prototype', () => {
    assert.equal(compileFilter({ constructor: { $exists: true } })({}), false)
    assert.equal(compileFilter({ 'constructor.prototype': { $exists: true } })({}), false)
    assert.equal(compileFilter({ ['__proto__']: { $exists: true } } as Doc)({}), false)
    assert.equal(compileFilter({ 'a.length': { $exists: true } })({ a: [int(1)] }), false)
  })

  it('finds the conjuncts that a planner can use', () => {
    assert.deepEqual(analyzeFilter({ a: 'x', $and: [{ b: { $gt: int(1), $ne: int(5) } }] }), {
      conjuncts: [
        { path: 'a', op: '$eq', value: 'x' },
        { path: 'b', op: '$gt', value: int(1) },
      ],
      complete: false,
    })
    assert.equal(analyzeFilter({ a: { $in: ['x'] }, b: null }).complete, true)
    assert.equal(analyzeFilter({ a: new BSONRegExp('x') }).complete, false)
  })

  it('agrees with a plain model on small random documents', () => {
    const n = fc.integer({ min: -2, max: 2 })
    const leaf = fc.oneof(n, fc.array(n, { maxLength: 3 }), fc.constant(undefined))
    const op = fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte')
    const holds: Record<string, (x: number | undefined, y: number) => boolean> = {
      $eq: (x, y) => x === y,
      $gt: (x, y) => x !== undefined && x > y,
      $gte: (x, y) => x !== undefined && x >= y,
      $lt: (x, y) => x !== undefined && x < y,
      $lte: (x, y) => x !== undefined && x <= y,
    }
    fc.assert(
      fc.property(leaf, op, n, fc.boolean(), (value, operator, arg, not) => {
        const boxed = Array.isArray(value) ? value.map(int) : value === undefined ? undefined : int(value)
        const doc: Doc = boxed === undefined ? {} : { a: boxed }
        const values = Array.isArray(value) ? value : [value]
        const some = values.some(v => holds[operator === '$ne' ? '$eq' : operator]!(v, arg))
        const expected = (some !== (operator === '$ne')) !== not
        const condition = { [operator]: int(arg) }

        assert.equal(compileFilter({ a: not ? { $not: condition } : condition })(doc), expected)
      }),
    )
  })
})
