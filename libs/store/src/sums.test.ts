import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Refusal } from '@carapace/api'
import { onEachMongo, type TestMongo } from '@carapace/testing'
import fc from 'fast-check'
import { type AggregateStore, aggregateStore } from './aggregate.ts'
import { type Database, openDatabase } from './database.ts'
import { type Projection, projection } from './projection.ts'
import { auditSums } from './sums-audit.ts'

interface Gig {
  id: string
  state: string
  budget: bigint
  people: string[]
}

const shareOf = ({ state, budget, people }: Omit<Gig, 'id'>) => ({ sums: { all: 1n, [state]: 1n, budget }, sets: { people } })

await onEachMongo('sums of a collection', acquireMongo => {
  let mongo: TestMongo
  let db: Database
  let gigs: AggregateStore<Gig>
  let made = 0

  before(async () => {
    mongo = await acquireMongo()
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}sums` })
  })
  beforeEach(async () => {
    made += 1
    gigs = open()
    await db.init()
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })

  const open = () =>
    aggregateStore<Gig>(db, {
      collection: `gigs${made}`,
      resource: 'gig',
      shareOf,
    })
  const gig = (fields: Partial<Gig> = {}): Gig => ({ id: randomUUID(), state: 'open', budget: 5n, people: [], ...fields })
  const names = ['all', 'open', 'done', 'budget', 'people']
  const figures = async () => {
    const of = await gigs.sums()
    return names.map(of)
  }
  const forget = () => db.connection.collection<{ _id: string }>('sums').deleteMany({ _id: { $regex: `^gigs${made}/` } })
  const become = (fields: Partial<Gig>) => (present: Gig) => ({ state: { ...present, ...fields }, events: [] })

  it('follow each document from its first state to its last', async () => {
    assert.deepEqual(await figures(), [0n, 0n, 0n, 0n, 0n])
    const first = await gigs.create(gig({ people: ['ada', 'bob'] }), [])
    await gigs.create(gig({ budget: 7n, people: ['bob'] }), [])
    assert.deepEqual(await figures(), [2n, 2n, 0n, 12n, 2n])

    await gigs.change(first.id, become({ state: 'done', budget: 6n, people: ['bob', 'cleo'] }))
    assert.deepEqual(await figures(), [2n, 1n, 1n, 13n, 2n])

    await gigs.remove(first.id)
    assert.deepEqual(await figures(), [1n, 1n, 0n, 7n, 1n])
  })

  it('count nothing that was not written, and nothing twice', async () => {
    const { id } = await gigs.create(gig(), [], { cause: 'posted' })
    await gigs.create(gig({ id }), [], { cause: 'posted' })
    await assert.rejects(gigs.create(gig({ id }), []), (error: Refusal) => error.code === 'ALREADY_EXISTS')
    await gigs.change(id, become({ state: 'done' }), { cause: 'ended' })
    await gigs.change(id, become({ state: 'done', budget: 50n }), { cause: 'ended' })
    const aborted = db.transaction(async session => {
      await gigs.change(id, become({ budget: 80n }), { session })
      throw new Error('no')
    })
    await assert.rejects(aborted, /no/)

    assert.deepEqual(await figures(), [1n, 0n, 1n, 5n, 0n])
  })

  it('are exact after many concurrent changes', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => gigs.create(gig({ people: ['ada'] }), [])))
    const changes = made.flatMap(({ id }, at) => [
      gigs.change(id, present => ({ state: { ...present, budget: present.budget + 1n, people: [...present.people, `p${at % 3}`] }, events: [] })),
      gigs.change(id, present => ({ state: { ...present, state: 'done' }, events: [] })),
    ])
    await Promise.all(changes)

    assert.deepEqual(await figures(), [6n, 0n, 6n, 36n, 4n])
  })

  it('are the same when they are recalculated, after any changes', async () => {
    const step = fc.record({
      at: fc.nat(3),
      state: fc.constantFrom('open', 'done'),
      budget: fc.bigInt(0n, 9n),
      people: fc.subarray(['ada', 'bob', 'cleo']),
    })
    const documents = await Promise.all([0, 1, 2, 3].map(() => gigs.create(gig(), [])))
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async steps => {
        for (const { at, ...fields } of steps) await gigs.change(documents[at]!.id, become(fields))
        const stored = await figures()
        await forget()
        assert.deepEqual(await figures(), stored)
      }),
      { numRuns: 6 },
    )
  })

  it('lose nothing that is written while they are added up', async () => {
    await Promise.all(Array.from({ length: 20 }, () => gigs.create(gig({ people: ['ada'] }), [])))
    await forget()

    const more = Array.from({ length: 10 }, (_, n) => gigs.create(gig({ people: [`p${n}`] }), []))
    await Promise.all([...more, figures(), figures()])

    assert.deepEqual(await figures(), [30n, 30n, 0n, 150n, 11n])
  })

  const ofThese = async () => (await auditSums(db)).filter(fault => fault.startsWith(`gigs${made}:`))
  const rowsOf = (name: string) => db.connection.collection<{ _id: string; documents?: bigint; of?: Record<string, bigint> }>(name)

  it('are audited against the documents: a falsified figure, a lost member and one too many are found', async () => {
    for (const people of [['ada', 'bob'], ['bob'], ['x/y']]) await gigs.create(gig({ people }), [])
    await figures()
    assert.deepEqual(await ofThese(), [])

    await rowsOf('sums').updateOne({ _id: `gigs${made}/3` }, { $inc: { 'of.budget': 1n } })
    await rowsOf('sums').updateOne({ _id: `gigs${made}/members/people/bob` }, { $set: { documents: 1n } })
    assert.deepEqual(await ofThese(), [
      `gigs${made}: "budget" is stored as 16 and adds up to 15`,
      `gigs${made}: the stored members of "people" are not those that documents name`,
    ])
    await rowsOf('sums').deleteOne({ _id: `gigs${made}/members/people/ada` })
    assert.match((await ofThese())[1]!, /"people" is stored as 3 and adds up to 2/)

    await forget()
    assert.deepEqual(await ofThese(), [])
    await figures()
    assert.deepEqual(await ofThese(), [])
  })

  it('are audited without a false alarm while documents come, change and go', async () => {
    const first = await Promise.all(Array.from({ length: 10 }, (_, n) => gigs.create(gig({ people: [`p${n}`] }), [])))
    await figures()
    let isOver = false
    const writing = Promise.all(
      first.map(async ({ id }, n) => {
        for (let pass = 0; pass < 6; pass++) {
          await gigs.change(id, present => ({ state: { ...present, budget: present.budget + 1n, people: [`p${n + pass}`] }, events: [] }))
          await gigs.remove((await gigs.create(gig({ people: [`q${pass}`] }), [])).id)
        }
      }),
    ).finally(() => {
      isOver = true
    })

    let audits = 0
    for (; !isOver; audits++) assert.deepEqual(await ofThese(), [])

    await writing
    assert.ok(audits > 0)
    assert.deepEqual(await ofThese(), [])
  })

  it('are added up again where a document adds something else since', async () => {
    await gigs.create(gig({ budget: 4n }), [])
    assert.equal((await gigs.sums())('budget'), 4n)
    const doubled = ({ budget }: Gig) => ({ sums: { doubled: 2n * budget } })
    const next = aggregateStore<Gig>(db, { collection: `gigs${made}`, resource: 'gig', shareOf: doubled, shareForm: 1 })

    await next.create(gig({ budget: 3n }), [])

    const of = await next.sums()
    assert.deepEqual([of('doubled'), of('budget'), of.names()], [14n, 0n, ['doubled']])
  })

  it('are stored of projections too, for any order of events', async () => {
    type Row = { state: string; budget: bigint; people: string[] }
    const rows: Projection<Row> = projection<Row>(db, {
      collection: `rows${made}`,
      shareOf: ({ budget = 0n }) => ({ sums: { all: 1n, budget } }),
    })
    const stamp = (aggregateversion: number) => ({ source: '/carapace/test', subject: 'x', aggregateversion })
    for (const version of [1, 3, 2, 3]) await rows.apply('x', { budget: BigInt(version) }, stamp(version))
    await rows.apply('y', { state: 'open' }, stamp(1))

    const of = await rows.sums()
    assert.deepEqual([of('all'), of('budget')], [2n, 3n])
  })
})
