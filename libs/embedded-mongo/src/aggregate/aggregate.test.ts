import assert from 'node:assert/strict'
import { Decimal128, Double, Int32, Long } from 'bson'
import fc from 'fast-check'
import { splitPipeline } from '../query/split-pipeline.ts'
import { MongoError } from '../values/errors.ts'
import { type Doc, identical } from '../values/values.ts'
import { runPipeline } from './compile-stages.ts'
import type { OutMode, PipelineEnv } from './sink.ts'

const int = (n: number) => new Int32(n)
const dec = (s: string) => Decimal128.fromString(s)
const now = new Date('2026-01-01T00:00:00Z')

const orders: Doc[] = [
  { _id: int(1), buyer: 'ann', paid: dec('1.10'), items: ['a', 'b'], at: int(5) },
  { _id: int(2), buyer: 'bob', paid: dec('2.20'), items: [], at: int(3) },
  { _id: int(3), buyer: 'ann', paid: dec('3.30'), items: ['b'], at: int(1) },
]
const people: Doc[] = [
  { _id: 'ann', boss: 'cid' },
  { _id: 'bob', boss: 'ann' },
  { _id: 'cid', boss: null },
]
const collections: Record<string, Doc[]> = { orders, people }

function env(extra: Partial<PipelineEnv> = {}): PipelineEnv {
  return { now, lookup: name => collections[name] ?? [], ...extra }
}

async function run(stages: Doc[], docs: Iterable<Doc> | AsyncIterable<Doc> = orders, extra: Partial<PipelineEnv> = {}): Promise<Doc[]> {
  const out: Doc[] = []
  for await (const doc of runPipeline(stages, docs, env(extra))) out.push(doc)
  return out
}

const one = int(1)
const cases: [string, Doc[], Doc[]][] = [
  ['$match and $count', [{ $match: { buyer: 'ann' } }, { $count: 'n' }], [{ n: int(2) }]],
  ['$count of nothing', [{ $match: { buyer: 'zoe' } }, { $count: 'n' }], []],
  [
    '$group with decimals',
    [{ $group: { _id: '$buyer', sum: { $sum: '$paid' }, n: { $sum: one } } }, { $sort: { _id: one } }],
    [
      { _id: 'ann', sum: dec('4.40'), n: int(2) },
      { _id: 'bob', sum: dec('2.20'), n: int(1) },
    ],
  ],
  [
    '$group by a document',
    [
      { $group: { _id: { w: '$buyer' }, first: { $first: '$_id' }, last: { $last: '$_id' }, all: { $push: '$at' } } },
      { $sort: { first: one } },
      { $limit: one },
    ],
    [{ _id: { w: 'ann' }, first: int(1), last: int(3), all: [int(5), int(1)] }],
  ],
  [
    '$group of all',
    [{ $group: { _id: null, max: { $max: '$at' }, avg: { $avg: '$at' }, n: { $count: {} } } }],
    [{ _id: null, max: int(5), avg: new Double(3), n: int(3) }],
  ],
  ['$group with $top', [{ $group: { _id: null, best: { $top: { sortBy: { at: int(-1) }, output: '$_id' } } } }], [{ _id: null, best: int(1) }]],
  ['$sort, $skip and $limit', [{ $sort: { at: one } }, { $skip: one }, { $limit: one }, { $project: { at: one } }], [{ _id: int(2), at: int(3) }]],
  [
    '$project with computed fields',
    [{ $limit: one }, { $project: { _id: int(0), buyer: { $toUpper: '$buyer' }, n: { $size: '$items' } } }],
    [{ buyer: 'ANN', n: int(2) }],
  ],
  [
    '$addFields, also nested',
    [{ $limit: one }, { $addFields: { 'x.y': one, at: { $add: ['$at', one] } } }, { $unset: ['items', 'paid'] }],
    [{ _id: int(1), buyer: 'ann', at: int(6), x: { y: one } }],
  ],
  [
    '$unwind',
    [{ $unwind: '$items' }, { $project: { items: one } }],
    [
      { _id: int(1), items: 'a' },
      { _id: int(1), items: 'b' },
      { _id: int(3), items: 'b' },
    ],
  ],
  [
    '$unwind with preserveNullAndEmptyArrays',
    [
      { $unwind: { path: '$items', includeArrayIndex: 'i', preserveNullAndEmptyArrays: true } },
      { $match: { _id: { $gt: one } } },
      { $project: { items: one, i: one } },
    ],
    [
      { _id: int(2), i: null },
      { _id: int(3), items: 'b', i: Long.fromNumber(0) },
    ],
  ],
  [
    '$lookup by field',
    [{ $lookup: { from: 'people', localField: 'buyer', foreignField: '_id', as: 'p' } }, { $project: { 'p.boss': one } }, { $limit: one }],
    [{ _id: int(1), p: [{ boss: 'cid' }] }],
  ],
  [
    '$lookup by pipeline',
    [
      { $limit: int(2) },
      {
        $lookup: {
          from: 'people',
          let: { w: '$buyer' },
          pipeline: [{ $match: { $expr: { $eq: ['$_id', '$$w'] } } }, { $project: { _id: int(0) } }],
          as: 'p',
        },
      },
      { $project: { p: one } },
    ],
    [
      { _id: int(1), p: [{ boss: 'cid' }] },
      { _id: int(2), p: [{ boss: 'ann' }] },
    ],
  ],
  [
    '$lookup by field and pipeline',
    [
      { $limit: one },
      { $lookup: { from: 'people', localField: 'buyer', foreignField: 'boss', pipeline: [{ $project: { _id: one } }], as: 'p' } },
      { $project: { p: one } },
    ],
    [{ _id: int(1), p: [{ _id: 'bob' }] }],
  ],
  [
    '$graphLookup',
    [
      { $match: { _id: int(2) } },
      { $graphLookup: { from: 'people', startWith: '$buyer', connectFromField: 'boss', connectToField: '_id', as: 'up', depthField: 'd' } },
      { $project: { 'up._id': one, 'up.d': one } },
    ],
    [
      {
        _id: int(2),
        up: [
          { _id: 'bob', d: Long.fromNumber(0) },
          { _id: 'ann', d: Long.fromNumber(1) },
          { _id: 'cid', d: Long.fromNumber(2) },
        ],
      },
    ],
  ],
  ['$replaceRoot', [{ $limit: one }, { $replaceRoot: { newRoot: { v: '$at' } } }], [{ v: int(5) }]],
  [
    '$sortByCount',
    [{ $sortByCount: '$buyer' }],
    [
      { _id: 'ann', count: int(2) },
      { _id: 'bob', count: int(1) },
    ],
  ],
  [
    '$facet',
    [{ $facet: { n: [{ $count: 'c' }], ids: [{ $project: { _id: one } }, { $limit: one }] } }],
    [{ n: [{ c: int(3) }], ids: [{ _id: int(1) }] }],
  ],
  [
    '$bucket',
    [{ $bucket: { groupBy: '$at', boundaries: [int(0), int(2), int(4)], default: 'more' } }],
    [
      { _id: int(0), count: int(1) },
      { _id: int(2), count: int(1) },
      { _id: 'more', count: int(1) },
    ],
  ],
  [
    '$bucketAuto',
    [{ $bucketAuto: { groupBy: '$at', buckets: int(2) } }],
    [
      { _id: { min: int(1), max: int(5) }, count: int(2) },
      { _id: { min: int(5), max: int(5) }, count: int(1) },
    ],
  ],
  [
    '$unionWith',
    [
      { $limit: one },
      { $project: { _id: one } },
      { $unionWith: { coll: 'people', pipeline: [{ $match: { boss: null } }, { $project: { _id: one } }] } },
    ],
    [{ _id: int(1) }, { _id: 'cid' }],
  ],
  ['$documents', [{ $documents: [{ a: one }] }, { $addFields: { b: one } }], [{ a: one, b: one }]],
  ['$redact', [{ $redact: { $cond: [{ $eq: ['$buyer', 'bob'] }, '$$PRUNE', '$$KEEP'] } }, { $count: 'n' }], [{ n: int(2) }]],
]

const refused: [Doc[], number][] = [
  [[{ $nonsense: {} }], 40324],
  [[{ $limit: one }, { $changeStream: {} }], 40602],
  [[{ $setWindowFields: { output: { a: { $derivative: { input: '$a' } } } } }], 115],
  [[{ $match: {}, $limit: one }], 40323],
  [[{ $group: {} }], 15955],
  [[{ $group: { _id: null, a: { $nonsense: one } } }], 15952],
  [[{ $group: { _id: null, a: one } }], 40234],
  [[{ $limit: int(0) }], 15958],
  [[{ $out: 'x' }, { $limit: one }], 40601],
  [[{ $limit: one }, { $documents: [] }], 40602],
  [[{ $project: {} }], 51272],
  [[{ $facet: { a: [{ $out: 'x' }] } }], 40600],
]

describe('aggregate', () => {
  for (const [title, stages, expected] of cases) {
    it(`runs ${title}`, async () => {
      const result = await run(stages)

      assert.ok(identical(result, expected), JSON.stringify(result))
    })
  }

  it('refuses what MongoDB refuses, with its codes', async () => {
    for (const [stages, code] of refused) {
      await assert.rejects(run(stages), (error: unknown) => error instanceof MongoError && error.code === code, JSON.stringify(stages))
    }
  })

  it('stops reading when a limit is reached', async () => {
    let read = 0
    async function* endless() {
      for (;;) yield { n: int(read++) }
    }

    assert.equal((await run([{ $match: { n: { $gte: int(3) } } }, { $limit: int(2) }], endless())).length, 2)
    assert.equal(read, 5)
  })

  it('joins a hundred thousand documents of one value without a copy of them for each', async () => {
    const many = Array.from({ length: 100_000 }, (_, i) => ({ _id: int(i), buyer: 'ann' }))
    const lookup = () => many
    const field = { from: 'many', localField: 'buyer', foreignField: 'buyer', as: 'found' }
    const graph = { from: 'many', startWith: '$buyer', connectFromField: '_id', connectToField: 'buyer', as: 'found' }

    for (const stage of [{ $lookup: field }, { $graphLookup: graph }]) {
      const [first] = await run([stage, { $project: { n: { $size: '$found' } } }], [orders[0]!], { lookup })
      assert.deepEqual(first?.n, int(100_000))
    }
  })

  it('reads the other collection once for many documents', async () => {
    let reads = 0
    const lookup = () => {
      reads++
      return people
    }
    await run([{ $lookup: { from: 'people', localField: 'buyer', foreignField: '_id', as: 'p' } }], orders, { lookup })

    assert.equal(reads, 1)
  })

  it('hands the outcome of $out and $merge to the environment', async () => {
    const written: { target: unknown; docs: Doc[]; mode: OutMode }[] = []
    const out: PipelineEnv['out'] = (target, docs, mode) => {
      written.push({ target, docs, mode })
    }
    assert.deepEqual(await run([{ $match: { buyer: 'bob' } }, { $project: { at: one } }, { $out: 'copy' }], orders, { out }), [])
    await run([{ $limit: one }, { $merge: { into: { db: 'd', coll: 'c' }, whenMatched: [{ $set: { n: { $add: ['$n', '$$new.at'] } } }] } }], orders, {
      out,
    })

    assert.deepEqual(written[0], { target: { db: undefined, collection: 'copy' }, docs: [{ _id: int(2), at: int(3) }], mode: { kind: 'replace' } })
    const mode = written[1]!.mode as Extract<OutMode, { kind: 'merge' }>
    assert.deepEqual(written[1]!.target, { db: 'd', collection: 'c' })
    assert.deepEqual((mode.whenMatched as (a: Doc, b: Doc) => Doc)({ n: int(1) }, orders[0]!), { n: int(6) })
  })

  it('knows let variables and the time of the command', async () => {
    assert.deepEqual(
      await run([{ $match: { $expr: { $eq: ['$buyer', '$$w'] } } }, { $project: { _id: int(0), t: '$$NOW' } }], orders, { let: { w: 'bob' } }),
      [{ t: now }],
    )
  })

  it('splits off what a query can answer', () => {
    const { filter, sort, skip, limit, rest, fields } = splitPipeline([
      { $match: { a: one } },
      { $match: { 'b.c': one } },
      { $sort: { d: one } },
      { $limit: int(5) },
      { $group: { _id: '$e.f', n: { $sum: '$g' } } },
    ])

    assert.deepEqual(
      { filter, sort, skip, limit, rest: rest.length },
      { filter: { $and: [{ a: one }, { 'b.c': one }] }, sort: { d: one }, skip: undefined, limit: 5, rest: 1 },
    )
    assert.deepEqual([...fields!.all.names].sort(), ['a', 'b', 'd', 'e', 'g'])
    assert.deepEqual([...fields!.afterFilter.names].sort(), ['d', 'e', 'g'])
    assert.equal(splitPipeline([{ $match: { a: one } }]).fields, undefined)
    assert.equal(splitPipeline([{ $group: { _id: '$$ROOT' } }]).fields, undefined)
  })

  it('groups and sums like a plain model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ k: fc.integer({ min: 0, max: 3 }), v: fc.integer() })), async rows => {
        const model = new Map<number, number>()
        for (const { k, v } of rows) model.set(k, (model.get(k) ?? 0) + v)
        const docs = rows.map(({ k, v }) => ({ k: k % 2 ? int(k) : new Double(k), v: v % 2 ? int(v) : Long.fromNumber(v) }))

        const result = await run([{ $group: { _id: '$k', sum: { $sum: '$v' } } }], docs)

        assert.deepEqual(new Map(result.map(({ _id, sum }) => [Number(_id), Number(sum)])), model)
      }),
    )
  })
})
