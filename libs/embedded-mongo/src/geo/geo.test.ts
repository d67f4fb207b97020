import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Collection, Document } from 'mongodb'
import { refusalOf, startTestServer, type TestServer } from '../testing/test-server.ts'
import { sphere } from './space.ts'

const point = (longitude: number, latitude: number) => ({ type: 'Point', coordinates: [longitude, latitude] })
const square = (from: number, to: number) => ({
  type: 'Polygon',
  coordinates: [
    [
      [from, from],
      [to, from],
      [to, to],
      [from, to],
      [from, from],
    ],
  ],
})

describe('geo queries', () => {
  let test: TestServer
  let places: Collection<Document>
  before(async () => {
    test = await startTestServer()
    places = test.db().collection('places')
    await places.createIndex({ loc: '2dsphere' })
    await places.createIndex({ flat: '2d' })
    await places.insertMany([
      { _id: 'paris' as never, loc: point(2.35, 48.86), flat: [2, 48], kind: 'city' },
      { _id: 'london' as never, loc: point(-0.13, 51.51), flat: [0, 51], kind: 'city' },
      { _id: 'sydney' as never, loc: point(151.21, -33.87), flat: [151, -33], kind: 'city' },
      {
        _id: 'line' as never,
        loc: {
          type: 'LineString',
          coordinates: [
            [1, 1],
            [3, 3],
          ],
        },
        kind: 'shape',
      },
      { _id: 'area' as never, loc: square(10, 20), kind: 'shape' },
      { _id: 'nowhere' as never },
    ])
  })
  after(() => test.stop())

  const ids = async (filter: Document, options: Document = {}) => (await places.find(filter, options).toArray()).map(({ _id }) => _id)

  it('find the nearest first, between limits in metres', async () => {
    const near = { $geometry: point(2.3, 48.8) }

    assert.deepEqual(await ids({ loc: { $near: near }, kind: 'city' }), ['paris', 'london', 'sydney'])
    assert.deepEqual(await ids({ loc: { $nearSphere: { ...near, $minDistance: 100_000, $maxDistance: 400_000 } } }), ['london'])
    assert.deepEqual(await ids({ $and: [{ loc: { $near: near } }, { kind: 'city' }] }, { skip: 1, limit: 1 }), ['london'])
    assert.deepEqual(await ids({ loc: { $near: near }, kind: 'city' }, { sort: { _id: 1 } }), ['london', 'paris', 'sydney'])
    assert.equal(await places.deleteOne({ loc: { $near: near }, kind: 'none' }).then(result => result.deletedCount), 0)
  })

  it('measure pairs in the plane by a 2d index', async () => {
    assert.deepEqual(await ids({ flat: { $near: [0, 50], $maxDistance: 3 } }), ['london', 'paris'])
  })

  it('know the distance on the earth', () => {
    const paris = [2.35, 48.86] as const
    const london = [-0.13, 51.51] as const
    assert.ok(Math.abs(sphere.distance(paris, london) * 6378.1 - 344) < 2)
    fc.assert(
      fc.property(fc.double({ min: -180, max: 180, noNaN: true }), fc.double({ min: -90, max: 90, noNaN: true }), (x, y) => {
        assert.ok(sphere.distance([x, y], [x, y]) < 1e-9)
        assert.ok(Math.abs(sphere.distance([x, y], [x > 0 ? x - 180 : x + 180, -y]) - Math.PI) < 1e-6)
      }),
    )
  })

  it('find what lies within a region', async () => {
    assert.deepEqual(await ids({ loc: { $geoWithin: { $geometry: square(0, 30) } } }), ['area', 'line'])
    assert.deepEqual(await ids({ loc: { $geoWithin: { $geometry: square(0, 15) } } }), ['line'])
    assert.deepEqual(
      await ids({
        flat: {
          $geoWithin: {
            $box: [
              [-1, 47],
              [3, 50],
            ],
          },
        },
      }),
      ['paris'],
    )
    assert.deepEqual(await ids({ flat: { $geoWithin: { $center: [[0, 50], 1.5] } } }), ['london'])
    assert.deepEqual(await ids({ loc: { $geoWithin: { $centerSphere: [[2.3, 48.8], 400 / 6378.1] } } }), ['london', 'paris'])
    assert.deepEqual(
      await ids({
        flat: {
          $geoWithin: {
            $polygon: [
              [-1, 50],
              [1, 50],
              [0, 52],
            ],
          },
        },
      }),
      ['london'],
    )
    assert.deepEqual(await ids({ loc: { $not: { $geoWithin: { $geometry: square(0, 30) } } }, kind: 'shape' }), [])
  })

  it('find what meets a geometry', async () => {
    assert.deepEqual(await ids({ loc: { $geoIntersects: { $geometry: square(0, 15) } } }), ['area', 'line'])
    assert.deepEqual(await ids({ loc: { $geoIntersects: { $geometry: point(15, 15) } } }), ['area'])
    assert.deepEqual(
      await ids({
        loc: {
          $geoIntersects: {
            $geometry: {
              type: 'LineString',
              coordinates: [
                [1, 3],
                [3, 1],
              ],
            },
          },
        },
      }),
      ['line'],
    )
  })

  it('add distances in an aggregation', async () => {
    const stages = [
      {
        $geoNear: { near: point(2.3, 48.8), distanceField: 'how.far', includeLocs: 'at', key: 'loc', maxDistance: 400_000, query: { kind: 'city' } },
      },
      { $match: { 'how.far': { $gt: 100_000 } } },
    ]
    const [only] = await places.aggregate(stages).toArray()

    assert.equal(only!._id, 'london')
    assert.deepEqual(only!.at, point(-0.13, 51.51))
    assert.ok(Math.abs(only!.how.far - 349_000) < 5_000)
  })

  it('agree with the plane about small squares', () => {
    const ring = [
      [10, 10],
      [10.1, 10],
      [10.1, 10.1],
      [10, 10.1],
      [10, 10],
    ] as const
    const offset = fc.double({ min: -0.2, max: 0.3, noNaN: true })
    fc.assert(
      fc.property(offset, offset, (dx, dy) => {
        const isNearEdge = [dx, dy].some(d => Math.abs(d) < 1e-4 || Math.abs(d - 0.1) < 1e-4)
        const isIn = dx > 0 && dx < 0.1 && dy > 0 && dy < 0.1
        assert.ok(isNearEdge || sphere.isInRing([10 + dx, 10 + dy], ring) === isIn)
      }),
    )
  })

  it('are refused without an index, out of place, or malformed', async () => {
    const cases: [Document, number][] = [
      [{ kind: { $near: { $geometry: point(0, 0) } } }, 291],
      [{ $or: [{ loc: { $near: { $geometry: point(0, 0) } } }] }, 2],
      [{ loc: { $near: 'here' } }, 2],
      [{ loc: { $geoWithin: { $sphere: 1 } } }, 2],
      [{ loc: { $geoWithin: { $geometry: point(0, 0) } } }, 2],
      [
        {
          loc: {
            $geoIntersects: {
              $geometry: {
                type: 'Polygon',
                coordinates: [
                  [
                    [0, 0],
                    [1, 1],
                  ],
                ],
              },
            },
          },
        },
        2,
      ],
    ]
    for (const [filter, code] of cases) assert.equal((await refusalOf(places.find(filter).toArray())).code, code, JSON.stringify(filter))
    assert.equal(
      (
        await refusalOf(
          test
            .db()
            .collection('x')
            .find({ a: { $near: { $bad: 1 } } })
            .toArray()
            .then(() => places.aggregate([{ $limit: 1 }, { $geoNear: {} }]).toArray()),
        )
      ).code,
      40602,
    )
  })
})
