import assert from 'node:assert/strict'
import { Decimal128, Double, Int32, Long, ObjectId } from 'bson'
import { MongoError } from '../values/errors.ts'
import { type Doc, identical } from '../values/values.ts'
import { scopeWith } from './core.ts'
import { compileExpression } from './expression.ts'

const int = (n: number) => new Int32(n)
const dbl = (n: number) => new Double(n)
const dec = (s: string) => Decimal128.fromString(s)
const long = (n: number) => Long.fromNumber(n)
const now = new Date('2026-03-04T05:06:07.008Z')
const id = new ObjectId('65f0c0ffee0123456789abcd')

const doc: Doc = {
  _id: id,
  i: int(7),
  l: long(5),
  d: dbl(2.5),
  m: dec('1.10'),
  s: 'Hello',
  t: now,
  n: null,
  a: [int(3), int(1), int(2)],
  o: { x: int(1), y: { z: int(2) } },
  docs: [{ v: int(1) }, { v: int(2) }, { w: int(3) }],
}

/** Arguments with a `then`, which linters do not like to see in a literal. */
const named = (fields: Doc, value: unknown): Doc => Object.fromEntries([...Object.entries(fields), ['then', value]])

const results: [unknown, unknown][] = [
  ['$o.y.z', int(2)],
  ['$docs.v', [int(1), int(2)]],
  ['$missing', undefined],
  ['$$ROOT.i', int(7)],
  ['$$NOW', now],
  [
    ['$i', '$missing'],
    [int(7), null],
  ],
  [{ p: '$i', q: '$missing' }, { p: int(7) }],
  [{ $add: ['$i', '$l'] }, long(12)],
  [{ $add: ['$m', '$i'] }, dec('8.10')],
  [{ $add: ['$t', int(1000)] }, new Date(now.getTime() + 1000)],
  [{ $add: ['$i', '$n'] }, null],
  [{ $add: [int(2 ** 31 - 1), int(1)] }, long(2 ** 31)],
  [{ $add: [Long.MAX_VALUE, int(1)] }, dbl(2 ** 63)],
  [{ $subtract: ['$t', '$t'] }, long(0)],
  [{ $multiply: ['$d', int(2)] }, dbl(5)],
  [{ $multiply: [dec('0.1'), dec('0.2')] }, dec('0.02')],
  [{ $divide: ['$i', int(2)] }, dbl(3.5)],
  [{ $divide: [dec('1'), int(3)] }, dec('0.3333333333333333333333333333333333')],
  [{ $mod: [int(-7), int(3)] }, int(-1)],
  [{ $abs: int(-3) }, int(3)],
  [{ $round: [dbl(2.5)] }, dbl(2)],
  [{ $round: [dec('1.235'), int(2)] }, dec('1.24')],
  [{ $round: [int(155), int(-1)] }, int(160)],
  [{ $trunc: [dbl(-2.7)] }, dbl(-2)],
  [{ $floor: dec('-1.1') }, dec('-2')],
  [{ $pow: [int(2), int(10)] }, int(1024)],
  [{ $pow: [dec('1.1'), int(2)] }, dec('1.21')],
  [{ $sqrt: int(16) }, dbl(4)],
  [{ $bitAnd: [int(6), int(3)] }, int(2)],
  [{ $sum: '$a' }, int(6)],
  [{ $avg: ['$i', '$l'] }, dbl(6)],
  [{ $max: '$a' }, int(3)],
  [{ $eq: ['$i', long(7)] }, true],
  [{ $lt: ['$missing', null] }, true],
  [{ $cmp: ['a', 'b'] }, int(-1)],
  [{ $and: ['$i', '$n'] }, false],
  [{ $not: ['$n'] }, true],
  [{ $cond: named({ if: { $gt: ['$i', int(5)] }, else: 'small' }, 'big') }, 'big'],
  [{ $ifNull: ['$missing', '$n', 'x'] }, 'x'],
  [
    {
      $switch: {
        branches: [named({ case: false }, 'a'), named({ case: true }, 'b')],
        default: 'c',
      },
    },
    'b',
  ],
  [{ $let: { vars: { p: '$i', q: int(2) }, in: { $multiply: ['$$p', '$$q'] } } }, int(14)],
  [{ $concat: ['$s', ' ', 'there'] }, 'Hello there'],
  [{ $concat: ['$s', '$n'] }, null],
  [{ $toUpper: '$s' }, 'HELLO'],
  [{ $substrCP: ['$s', int(1), int(3)] }, 'ell'],
  [{ $strLenBytes: 'é' }, int(2)],
  [{ $split: ['a-b', '-'] }, ['a', 'b']],
  [{ $trim: { input: '  x ' } }, 'x'],
  [{ $indexOfCP: ['$s', 'l'] }, int(2)],
  [{ $replaceAll: { input: 'a.b.c', find: '.', replacement: { $literal: '$&' } } }, 'a$&b$&c'],
  [{ $regexFind: { input: 'abc12', regex: '([a-z]+)(\\d+)' } }, { match: 'abc12', idx: int(0), captures: ['abc', '12'] }],
  [{ $regexFind: { input: '😀ab', regex: '(x)?b' } }, { match: 'b', idx: int(2), captures: [null] }],
  [{ $regexMatch: { input: '$s', regex: 'hell', options: 'i' } }, true],
  [
    { $regexFindAll: { input: 'a1b22', regex: '\\d+' } },
    [
      { match: '1', idx: int(1), captures: [] },
      { match: '22', idx: int(3), captures: [] },
    ],
  ],
  // An empty match advances by one character; the end that was reached is not tried again.
  [
    { $regexFindAll: { input: '😀b', regex: 'x*' } },
    [
      { match: '', idx: int(0), captures: [] },
      { match: '', idx: int(1), captures: [] },
    ],
  ],
  [{ $regexFindAll: { input: '', regex: 'x*' } }, [{ match: '', idx: int(0), captures: [] }]],
  [{ $arrayElemAt: ['$a', int(-1)] }, int(2)],
  [{ $arrayElemAt: ['$a', int(9)] }, undefined],
  [{ $first: '$a' }, int(3)],
  [{ $size: '$a' }, int(3)],
  [{ $slice: ['$a', int(1), int(5)] }, [int(1), int(2)]],
  [{ $in: [int(2), '$a'] }, true],
  [{ $indexOfArray: ['$a', int(1)] }, int(1)],
  [{ $concatArrays: ['$a', ['x']] }, [int(3), int(1), int(2), 'x']],
  [{ $range: [int(0), int(6), int(2)] }, [int(0), int(2), int(4)]],
  [{ $map: { input: '$a', as: 'v', in: { $add: ['$$v', '$i'] } } }, [int(10), int(8), int(9)]],
  [{ $map: { input: '$a', as: 'v', in: { $map: { input: [int(1)], as: 'w', in: { $add: ['$$v', '$$w'] } } } } }, [[int(4)], [int(2)], [int(3)]]],
  [{ $filter: { input: '$a', cond: { $gt: ['$$this', int(1)] } } }, [int(3), int(2)]],
  [{ $reduce: { input: '$a', initialValue: int(0), in: { $add: ['$$value', '$$this'] } } }, int(6)],
  [
    { $zip: { inputs: [[int(1), int(2)], ['a']], useLongestLength: true } },
    [
      [int(1), 'a'],
      [int(2), null],
    ],
  ],
  [{ $sortArray: { input: '$a', sortBy: int(1) } }, [int(1), int(2), int(3)]],
  [{ $setUnion: ['$a', [long(1), int(9)]] }, [int(1), int(2), int(3), int(9)]],
  [{ $setIsSubset: [[int(1)], '$a'] }, true],
  [
    { $objectToArray: '$o' },
    [
      { k: 'x', v: int(1) },
      { k: 'y', v: { z: int(2) } },
    ],
  ],
  [{ $arrayToObject: [[['k', int(1)]]] }, { k: int(1) }],
  [{ $mergeObjects: ['$o', { x: int(9) }] }, { x: int(9), y: { z: int(2) } }],
  [{ $getField: { field: 'x', input: '$o' } }, int(1)],
  [{ $setField: { field: 'a.b', input: {}, value: int(1) } }, { 'a.b': int(1) }],
  [{ $type: '$m' }, 'decimal'],
  [{ $type: '$missing' }, 'missing'],
  [{ $literal: '$i' }, '$i'],
  [{ $toString: '$_id' }, id.toHexString()],
  [{ $toString: '$m' }, '1.10'],
  [{ $toObjectId: id.toHexString() }, id],
  [{ $toInt: '12' }, int(12)],
  [{ $toLong: dbl(3.9) }, long(3)],
  [{ $toDecimal: '1.10' }, dec('1.10')],
  [{ $toDate: '2026-03-04T05:06:07.008Z' }, now],
  [{ $convert: { input: 'x', to: 'int', onError: 'bad' } }, 'bad'],
  [{ $year: '$t' }, int(2026)],
  [{ $hour: { date: '$t', timezone: '+02:30' } }, int(7)],
  [{ $dayOfYear: '$t' }, int(63)],
  [{ $isoWeek: '$t' }, int(10)],
  [{ $dateToString: { date: '$t', format: '%Y-%m-%d %H:%M:%S.%L %z', timezone: 'Europe/Berlin' } }, '2026-03-04 06:06:07.008 +0100'],
  [{ $dateToString: { date: '$t' } }, '2026-03-04T05:06:07.008Z'],
  [{ $dateFromString: { dateString: '04/03/2026', format: '%d/%m/%Y' } }, new Date('2026-03-04T00:00:00Z')],
  [{ $dateFromParts: { year: int(2026), month: int(3), day: int(4), timezone: 'America/New_York' } }, new Date('2026-03-04T05:00:00Z')],
  [{ $dateAdd: { startDate: new Date('2026-01-31T00:00:00Z'), unit: 'month', amount: int(1) } }, new Date('2026-02-28T00:00:00Z')],
  [{ $dateDiff: { startDate: new Date('2025-12-31T23:00:00Z'), endDate: new Date('2026-01-01T01:00:00Z'), unit: 'year' } }, long(1)],
  [{ $dateTrunc: { date: '$t', unit: 'hour', binSize: int(2) } }, new Date('2026-03-04T04:00:00Z')],
  [{ $dateTrunc: { date: '$t', unit: 'week', startOfWeek: 'monday' } }, new Date('2026-03-02T00:00:00Z')],
]

const refused: [unknown, number][] = [
  [{ $nonsense: int(1) }, 168],
  [{ $function: {} }, 115],
  ['$$nobody', 17276],
  [{ $add: ['x', int(1)] }, 14],
  [{ $divide: [int(1), int(0)] }, 2],
  [{ $eq: [int(1)] }, 16020],
  [{ $size: 'x' }, 17124],
  [{ $toInt: 'x' }, 241],
  [{ $ln: dec('2') }, 115],
  [{ a: int(1), $add: [] }, 15983],
  [{ $range: [int(0), int(2 ** 31 - 1)] }, 146],
]

const evaluate = (expression: unknown) => compileExpression(expression, scopeWith(now))(doc)

describe('expression', () => {
  it('evaluates operators over BSON types', () => {
    for (const [expression, expected] of results) {
      const value = evaluate(expression)
      assert.ok(identical(value, expected), `${JSON.stringify(expression)} gave ${JSON.stringify(value)}`)
    }
  })

  it('refuses what MongoDB refuses, with its codes', () => {
    for (const [expression, code] of refused) {
      assert.throws(
        () => evaluate(expression),
        (error: unknown) => error instanceof MongoError && error.code === code,
        JSON.stringify(expression),
      )
    }
  })

  it('never reads a prototype', () => {
    assert.equal(evaluate('$constructor'), undefined)
    assert.equal(evaluate('$o.__proto__.x'), undefined)
    assert.equal(evaluate({ $getField: { field: '__proto__', input: '$o' } }), undefined)
    assert.throws(() => evaluate({ $constructor: int(1) }), { code: 168 })
  })
})
