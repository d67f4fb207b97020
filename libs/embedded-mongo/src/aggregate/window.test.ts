import assert from 'node:assert/strict'
import type { Document } from 'mongodb'
import { refusalOf, startTestServer, type TestServer } from '../testing/test-server.ts'

describe('windows over sorted documents', () => {
  let test: TestServer
  before(async () => {
    test = await startTestServer()
  })
  after(() => test.stop())

  async function run(documents: Document[], stages: Document[]): Promise<Document[]> {
    return test
      .db()
      .aggregate([{ $documents: documents }, ...stages])
      .toArray()
  }

  const sales = [
    { name: 'b', day: 1, n: 5 },
    { name: 'a', day: 2, n: 2 },
    { name: 'a', day: 1, n: 1 },
    { name: 'a', day: 4, n: 4 },
    { name: 'b', day: 2, n: 5 },
  ]
  const column = async (output: Document, extra: Document = {}) =>
    (await run(sales, [{ $setWindowFields: { partitionBy: '$name', sortBy: { day: 1 }, output: { x: output }, ...extra } }])).map(({ x }) => x)

  it('sum, count and gather by place', async () => {
    assert.deepEqual(await column({ $sum: '$n', window: { documents: ['unbounded', 'current'] } }), [1, 3, 7, 5, 10])
    assert.deepEqual(await column({ $push: '$n', window: { documents: [-1, 1] } }), [
      [1, 2],
      [1, 2, 4],
      [2, 4],
      [5, 5],
      [5, 5],
    ])
    assert.deepEqual(await column({ $avg: '$n', window: { documents: [1, 'unbounded'] } }), [3, 4, null, 5, null])
    assert.deepEqual(await column({ $count: {} }), [3, 3, 3, 2, 2])
  })

  it('reach as far as the values do', async () => {
    assert.deepEqual(await column({ $sum: '$n', window: { range: [-2, 'current'] } }), [1, 3, 6, 5, 10])
    const dated = [1, 2, 5].map(day => ({ at: new Date(Date.UTC(2026, 0, day)), n: day }))
    const summed = await run(dated, [
      { $setWindowFields: { sortBy: { at: 1 }, output: { 'x.y': { $sum: '$n', window: { range: [-1, 0], unit: 'day' } } } } },
    ])
    assert.deepEqual(
      summed.map(({ x }) => x.y),
      [1, 3, 5],
    )
  })

  it('rank, number, shift and carry on', async () => {
    const byN = { sortBy: { n: -1 }, partitionBy: null }
    assert.deepEqual(await column({ $rank: {} }, byN), [1, 1, 3, 4, 5])
    assert.deepEqual(await column({ $denseRank: {} }, byN), [1, 1, 2, 3, 4])
    assert.deepEqual(await column({ $documentNumber: {} }), [1, 2, 3, 1, 2])
    assert.deepEqual(await column({ $shift: { output: '$n', by: -1, default: 0 } }), [0, 1, 2, 0, 5])
    assert.deepEqual(await column({ $linearFill: { $cond: [{ $eq: ['$day', 2] }, null, '$n'] } }), [1, 2, 4, 5, null])
  })

  it('fill what is missing', async () => {
    const docs = [{ t: 1, a: 1, b: 10 }, { t: 2 }, { t: 4, b: 40 }]
    const stage = { $fill: { sortBy: { t: 1 }, output: { a: { method: 'locf' }, b: { method: 'linear' }, c: { value: 'none' } } } }

    assert.deepEqual(await run(docs, [stage]), [
      { t: 1, a: 1, b: 10, c: 'none' },
      { t: 2, a: 1, b: 20, c: 'none' },
      { t: 4, b: 40, a: 1, c: 'none' },
    ])
  })

  it('add the documents between others', async () => {
    const docs = [
      { k: 'x', v: 600 },
      { k: 'x', v: 950 },
      { k: 'y', v: 1250 },
      { k: 'y', v: 1700 },
    ]
    const values = async (bounds: unknown) =>
      (await run(docs, [{ $densify: { field: 'v', partitionByFields: ['k'], range: { step: 200, bounds } } }]))
        .map(({ k, v }) => `${k}${v}`)
        .join(' ')

    assert.equal(await values('full'), 'x600 x800 x950 x1000 x1200 x1400 x1600 y600 y800 y1000 y1200 y1250 y1400 y1600 y1700')
    assert.equal(await values('partition'), 'x600 x800 x950 y1250 y1450 y1650 y1700')
    assert.equal(await values([700, 1100]), 'x600 x700 x900 x950 y700 y900 y1250 y1700')
    const days = await run(
      [1, 4].map(day => ({ at: new Date(Date.UTC(2026, 0, day)) })),
      [{ $densify: { field: 'at', range: { step: 1, unit: 'day', bounds: 'full' } } }],
    )
    assert.equal(days.length, 4)
  })

  it('refuse what they cannot do', async () => {
    const db = test.db()
    const cases: [Document, number][] = [
      [{ $setWindowFields: { output: { x: { $rank: {} } } } }, 5371602],
      [{ $setWindowFields: { sortBy: { a: 1 }, output: { x: { $derivative: { input: '$a' } } } } }, 115],
      [{ $setWindowFields: { sortBy: { a: 1 }, output: { x: { $sum: '$a', window: { documents: [2, 1] } } } } }, 5339900],
      [{ $densify: { field: 'a', range: { step: 0, bounds: 'full' } } }, 5733401],
      [{ $fill: { output: { a: { method: 'guess' } } } }, 6050202],
    ]
    for (const [stage, code] of cases)
      assert.equal((await refusalOf(db.aggregate([{ $documents: [{ a: 1 }] }, stage]).toArray())).code, code, JSON.stringify(stage))
  })
})
