import assert from 'node:assert/strict'
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  deserialize,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
} from 'bson'
import fc from 'fast-check'
import { type Doc, identical } from '../values/values.ts'
import { decodeDocument, selectionOf } from './decode.ts'
import { encodeDocument } from './encode.ts'

const scalar = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '\0', 'é', '😀', '語'), maxLength: 40 }),
  fc.integer().map(n => new Int32(n | 0)),
  fc.double().map(n => new Double(n)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(n => Long.fromBigInt(n)),
  fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }).map(n => Decimal128.fromString(`${n}E-7`)),
  fc.boolean(),
  fc.constantFrom(
    null,
    new MinKey(),
    new MaxKey(),
    new BSONRegExp('a.b', 'i'),
    new BSONSymbol('sym'),
    new Code('f()'),
    new Code('f()', { x: new Int32(1) }),
  ),
  fc.date({ noInvalidDate: true }),
  fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.constantFrom(0, 2, 3, 128)).map(([b, t]) => new Binary(b, t)),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map(b => new ObjectId(b)),
  fc.tuple(fc.nat({ max: 2 ** 32 - 1 }), fc.nat({ max: 2 ** 32 - 1 })).map(([t, i]) => new Timestamp({ t, i })),
)

const documents = fc.letrec<{ doc: Doc; node: unknown }>(tie => ({
  doc: fc.dictionary(
    fc.oneof(
      fc.constantFrom('a', 'b', '_id', '__proto__', 'constructor', 'é', 'x'.repeat(50)),
      fc.string({ unit: 'grapheme', maxLength: 5 }).map(s => `k${s.replaceAll('\0', '')}`),
    ),
    tie('node'),
    { maxKeys: 6 },
  ),
  node: fc.oneof(
    { maxDepth: 4 },
    { weight: 5, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie('node'), { maxLength: 4 }) },
    { weight: 1, arbitrary: tie('doc') },
  ),
})).doc

describe('bson codec', () => {
  it('encodes like the bson library, byte for byte, and reads the same back', () => {
    fc.assert(
      fc.property(documents, doc => {
        const raw = encodeDocument(doc)

        assert.deepEqual(raw, Buffer.from(serialize(doc, { ignoreUndefined: false })))
        assert.ok(identical(decodeDocument(raw), deserialize(raw, { promoteValues: false, promoteBuffers: false, bsonRegExp: true })))
      }),
      { numRuns: 500 },
    )
  })

  it('encodes documents that outgrow its buffer at any point', () => {
    for (const size of [60_000, 65_500, 65_530, 65_535, 65_536, 131_060, 200_000]) {
      const doc = {
        a: 'x'.repeat(size),
        b: { c: [new Int32(1), 'é'.repeat(size), { d: new Binary(Buffer.alloc(size, 7)) }] },
        e: Array.from({ length: 3000 }, (_, i) => new Double(i)),
        f: new ObjectId(),
      }

      assert.ok(encodeDocument(doc).equals(serialize(doc)), String(size))
    }
  })

  it('gives every id and decimal bytes of its own', () => {
    const doc = { a: new ObjectId(), b: new ObjectId(), c: Decimal128.fromString('1'), d: Decimal128.fromString('2') }

    assert.ok(identical(decodeDocument(encodeDocument(doc)), doc))
  })

  it('decodes chosen fields only', () => {
    fc.assert(
      fc.property(documents, fc.subarray(['a', 'b', '_id', '__proto__', 'é']), (doc, fields) => {
        const part = decodeDocument(encodeDocument(doc), selectionOf(fields))

        assert.deepEqual(
          Object.keys(part),
          Object.keys(doc).filter(key => fields.includes(key)),
        )
        for (const key of Object.keys(part)) assert.ok(identical(part[key], doc[key]))
      }),
    )
  })

  it('decodes fields with names that the bson library reserves as plain fields', () => {
    const doc = { a: { _bsontype: 'Int32', value: new Int32(1) }, toBSON: 'x', b: { $ref: 'c', $id: new Int32(1), $more: true } }

    assert.ok(identical(decodeDocument(encodeDocument(doc)), doc))
  })

  it('refuses any damaged bytes with an error', () => {
    fc.assert(
      fc.property(documents, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 }), (doc, damage) => {
        const raw = encodeDocument(doc)
        for (const [offset, byte] of damage) raw[offset % raw.length] = byte
        try {
          decodeDocument(raw)
        } catch (error) {
          assert.equal((error as { code?: unknown }).code, 22)
        }
      }),
      { numRuns: 500 },
    )
  })
})
