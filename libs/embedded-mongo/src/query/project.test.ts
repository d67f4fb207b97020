import assert from 'node:assert/strict'
import { Int32 } from 'bson'
import { MongoError } from '../values/errors.ts'
import { type Doc, identical } from '../values/values.ts'
import { compileProjection } from './project.ts'

const int = (n: number) => new Int32(n)
const one = int(1)
const zero = int(0)
const doc: Doc = {
  _id: int(7),
  a: int(1),
  b: { c: int(2), d: int(3) },
  l: [
    { x: int(1), y: int(1) },
    { x: int(2), y: int(2) },
  ],
  n: [int(1), int(2), int(3), int(4)],
}

const cases: [string, Doc, Doc, Doc?][] = [
  ['nothing given', {}, doc],
  ['inclusion, with _id', { b: one, a: true }, { _id: int(7), a: int(1), b: { c: int(2), d: int(3) } }],
  ['inclusion without _id', { _id: zero, a: one }, { a: int(1) }],
  ['_id alone', { _id: one }, { _id: int(7) }],
  ['exclusion', { a: zero, l: false, n: zero }, { _id: int(7), b: { c: int(2), d: int(3) } }],
  ['exclusion of _id alone', { _id: zero }, { a: doc.a, b: doc.b, l: doc.l, n: doc.n }],
  ['nested inclusion', { 'b.c': one }, { _id: int(7), b: { c: int(2) } }],
  ['nested inclusion as a document', { b: { c: one } }, { _id: int(7), b: { c: int(2) } }],
  ['inclusion through arrays', { _id: zero, 'l.x': one }, { l: [{ x: int(1) }, { x: int(2) }] }],
  ['exclusion through arrays', { _id: zero, a: zero, b: zero, n: zero, 'l.x': zero }, { l: [{ y: int(1) }, { y: int(2) }] }],
  ['inclusion under a scalar', { 'a.x': one }, { _id: int(7) }],
  ['$slice from the front', { _id: zero, n: { $slice: int(2) }, a: one }, { a: int(1), n: [int(1), int(2)] }],
  ['$slice from the back, the rest included', { n: { $slice: int(-1) }, l: zero, b: zero }, { _id: int(7), a: int(1), n: [int(4)] }],
  ['$slice with skip', { _id: zero, n: { $slice: [int(1), int(2)] }, a: one }, { a: int(1), n: [int(2), int(3)] }],
  ['$elemMatch', { _id: zero, l: { $elemMatch: { x: int(2) } } }, { l: [{ x: int(2), y: int(2) }] }],
  ['$elemMatch without a match', { l: { $elemMatch: { x: int(9) } } }, { _id: int(7) }],
  ['the positional operator', { _id: zero, 'l.$': one }, { l: [{ x: int(2), y: int(2) }] }, { 'l.x': int(2) }],
  [
    'expressions',
    { _id: zero, total: { $add: ['$a', '$b.c'] }, copy: '$b.d', text: { $literal: one } },
    { total: int(3), copy: int(3), text: int(1) },
  ],
]

const refused: [Doc, number][] = [
  [{ a: one, b: zero }, 31254],
  [{ a: zero, b: one }, 31253],
  [{ a: one, 'a.b': one }, 31249],
  [{ 'a.b': one, a: one }, 31250],
  [{ a: { $meta: 'textScore' } }, 115],
  [{ a: { $nonsense: one } }, 168],
  [{ 'a.$.b': one }, 31394],
  [{ a: { $slice: 'x' } }, 28667],
]

describe('project', () => {
  for (const [title, projection, expected, filter] of cases) {
    it(`applies ${title}`, () => {
      const projected = compileProjection(projection, filter)(doc)

      assert.ok(identical(projected, expected), JSON.stringify(projected))
    })
  }

  it('refuses what MongoDB refuses, with its codes', () => {
    for (const [projection, code] of refused) {
      assert.throws(
        () => compileProjection(projection)(doc),
        (error: unknown) => error instanceof MongoError && error.code === code,
        JSON.stringify(projection),
      )
    }
  })
})
