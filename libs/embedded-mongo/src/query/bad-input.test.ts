import assert from 'node:assert/strict'
import { Binary, BSONRegExp, Code, Decimal128, Double, Int32, Long, MinKey, ObjectId, Timestamp } from 'bson'
import fc from 'fast-check'
import { runPipeline } from '../aggregate/compile-stages.ts'
import { stages } from '../aggregate/stages.ts'
import { accumulators } from '../expressions/accumulators.ts'
import { scopeWith } from '../expressions/core.ts'
import { compileExpression, operators } from '../expressions/expression.ts'
import { updateOperators } from '../update/operators.ts'
import { compileUpdate } from '../update/update.ts'
import { MongoError } from '../values/errors.ts'
import type { Doc } from '../values/values.ts'
import { compileFilter } from './match.ts'
import { predicates } from './predicates.ts'
import { compileProjection } from './project.ts'

const now = new Date('2026-01-01T00:00:00Z')
const doc: Doc = {
  _id: new Int32(1),
  a: [new Int32(1), { b: 'x' }],
  b: { c: Decimal128.fromString('1.5') },
  s: 'text',
  d: now,
  n: null,
  l: Long.MAX_VALUE,
  x: new Double(Number.NaN),
}

const odd = fc.constantFrom<unknown>(
  null,
  undefined,
  true,
  '',
  '$',
  '$a',
  '$a.b',
  '$$ROOT',
  '$$this',
  'text',
  new Int32(0),
  new Int32(-1),
  new Int32(3),
  new Double(0.5),
  new Double(Number.NaN),
  new Double(Infinity),
  Long.MIN_VALUE,
  Decimal128.fromString('NaN'),
  Decimal128.fromString('1E6000'),
  new ObjectId(),
  new Date(0),
  new Date(Number.NaN),
  new BSONRegExp('('),
  new BSONRegExp('a', 'i'),
  new Binary(Buffer.from('x')),
  new Timestamp({ t: 1, i: 1 }),
  new MinKey(),
  new Code('x'),
)
const names = [
  ...operators.keys(),
  ...Object.keys(predicates),
  ...Object.keys(updateOperators),
  ...Object.keys(accumulators),
  '$and',
  '$or',
  '$nor',
  '$not',
  '$elemMatch',
  '$all',
  '$each',
  '$sort',
  '$slice',
  '$position',
  '$rename',
  '$expr',
  '$jsonSchema',
]
const fields = [
  'a',
  'b.c',
  'a.b',
  'a.$',
  'a.$[]',
  'a.0',
  '_id',
  '',
  '.',
  'input',
  'as',
  'in',
  'cond',
  'vars',
  'date',
  'unit',
  'amount',
  'startDate',
  'branches',
  'field',
  'path',
  'from',
  'pipeline',
  'newRoot',
  'groupBy',
  'boundaries',
  'buckets',
  'sortBy',
  'output',
  'n',
  'regex',
  'to',
  '__proto__',
  'constructor',
]

const value = fc.letrec<{ node: unknown; doc: Doc }>(tie => ({
  doc: fc.dictionary(fc.constantFrom(...names, ...fields), tie('node'), { maxKeys: 3, noNullPrototype: true }),
  node: fc.oneof(
    { maxDepth: 3 },
    { weight: 3, arbitrary: odd },
    { weight: 1, arbitrary: fc.array(tie('node'), { maxLength: 4 }) },
    { weight: 2, arbitrary: tie('doc') },
  ),
}))
const one = (from: readonly string[]) => fc.tuple(fc.constantFrom(...from), value.node).map(([name, arg]) => ({ [name]: arg }))

/** Passes, or fails with an error that can be sent to a client. */
async function answers(run: () => unknown): Promise<void> {
  try {
    await run()
  } catch (error) {
    assert.ok(error instanceof MongoError, String(error instanceof Error ? error.stack : error))
  }
}

async function drain(docs: AsyncIterable<Doc>): Promise<void> {
  for await (const _ of docs);
}

describe('bad input', () => {
  afterEach(() => {
    assert.deepEqual(Object.keys(Object.prototype), [])
  })

  it('ends in a refusal when it is an expression', () =>
    fc.assert(
      fc.asyncProperty(one([...operators.keys()]), expression => answers(() => compileExpression(expression, scopeWith(now))(doc))),
      { numRuns: 3000 },
    ))

  it('ends in a refusal when it is a filter', () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(
          value.doc,
          one(Object.keys(predicates)).map(a => ({ a })),
        ),
        filter => answers(() => compileFilter(filter)(doc)),
      ),
      { numRuns: 3000 },
    ))

  it('ends in a refusal when it is an update', () =>
    fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.constantFrom(...Object.keys(updateOperators), '$rename', '$setOnInsert'),
          fc.oneof(value.node, fc.dictionary(fc.constantFrom(...fields), value.node, { maxKeys: 2, noNullPrototype: true })),
          { maxKeys: 2, noNullPrototype: true },
        ),
        update => answers(() => compileUpdate(update, { now, filter: { a: new Int32(1) } })(doc)),
      ),
      { numRuns: 3000 },
    ))

  it('ends in a refusal when it is a projection', () =>
    fc.assert(
      fc.asyncProperty(value.doc, projection => answers(() => compileProjection(projection, { a: new Int32(1) })(doc))),
      { numRuns: 2000 },
    ))

  it('ends in a refusal when it is a pipeline', () =>
    fc.assert(
      fc.asyncProperty(fc.array(one([...Object.keys(stages), '$out', '$merge', '$documents']), { minLength: 1, maxLength: 2 }), pipeline =>
        answers(() => drain(runPipeline(pipeline, [doc, doc], { now, lookup: () => [doc], out: () => {} }))),
      ),
      { numRuns: 3000 },
    ))
})
