import assert from 'node:assert/strict'
import { type AggregateStore, aggregateStore, type Database, openDatabase } from '@carapace/store'
import { acquireMongo, type TestMongo } from '@carapace/testing'
import { pino } from 'pino'
import type { Job } from '../define.ts'
import { longestMs, pollAfterMs } from './next-poll.ts'
import { peerPolls } from './peer-polls.ts'

interface Claim {
  id: string
  group: string
  isOpen: boolean
}

describe('polls of another service', () => {
  let mongo: TestMongo
  let db: Database
  let claims: AggregateStore<Claim>
  let job: Job
  let polled: string[]
  let documents: number
  let collections = 0
  const start = new Date('2026-01-01T00:00:00Z')
  let now = start

  before(async () => {
    mongo = await acquireMongo()
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}polls`, clock: { now: () => now } })
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })
  beforeEach(async () => {
    ;[now, polled, documents] = [start, [], 0]
    claims = aggregateStore<Claim>(db, { collection: `claims_${collections++}`, resource: 'claim' })
    const find: typeof claims.find = async (...query) => {
      const found = await claims.find(...query)
      documents += found.length
      return found
    }
    job = peerPolls<Claim>(
      { log: pino({ level: 'silent' }) },
      {
        name: 'open claims',
        records: { collection: claims.collection, find },
        filter: { isOpen: true },
        since: 'updatedAt',
        group: ({ group }) => group,
        poll: async ({ id }) => polled.push(id),
      },
    )
  })

  const open = async (count: number, group = (id: string) => id) => {
    const ids = Array.from({ length: count }, (_, n) => `claim ${n}`)
    await Promise.all(ids.map(id => claims.create({ id, group: group(id), isOpen: true }, [])))
    return ids
  }
  const run = async (afterMs: number) => {
    now = new Date(now.getTime() + afterMs)
    await job.run(now, new AbortController().signal)
  }
  /** Runs it as long as it is due now. */
  const runAll = async () => {
    for (let at = await job.due!.nextAt(); at !== undefined && at <= now; at = await job.due!.nextAt()) await run(0)
  }

  it('begin after the first pause, go on with longer ones, and end with the wait', async () => {
    await open(1)
    await run(pollAfterMs - 1)
    assert.equal(polled.length, 0)
    await run(1)
    await run(pollAfterMs)
    assert.equal(polled.length, 1)
    await run(pollAfterMs)
    assert.equal(polled.length, 2)

    await claims.change('claim 0', claim => ({ state: { ...claim, isOpen: false }, events: [] }))

    await run(longestMs)
    assert.equal(polled.length, 2)
    assert.equal(await job.due!.nextAt(), undefined)
  })

  it('reach each of many that began to wait at one moment, and read a whole record once for each poll', async () => {
    const ids = await open(2_300)
    now = new Date(now.getTime() + pollAfterMs)

    await runAll()

    assert.deepEqual(polled.toSorted(), ids.toSorted())
    assert.equal(documents, ids.length)
    await run(1)
    assert.equal(documents, ids.length, 'nothing is read before the next poll')
  })

  it('are made by one record of a group', async () => {
    await open(3, () => 'one')
    await run(pollAfterMs)
    assert.equal(polled.length, 1)
    await run(2 * pollAfterMs)
    assert.equal(polled.length, 2)
  })

  it('begin again for a record that was written meanwhile', async () => {
    await open(1)
    await run(pollAfterMs)
    now = new Date(now.getTime() + pollAfterMs)
    await claims.change('claim 0', claim => ({ state: { ...claim, group: 'changed' }, events: [] }))

    await run(pollAfterMs - 1)
    assert.equal(polled.length, 1)
    await run(1)
    assert.equal(polled.length, 2)
  })

  it('find a record that begins to wait later than the time in it says', async () => {
    await open(2)
    await claims.change('claim 1', claim => ({ state: { ...claim, isOpen: false }, events: [] }))
    await run(longestMs)
    // as a replica whose clock is slow writes it
    await claims.collection.updateOne({ group: 'claim 1' }, { $set: { isOpen: true } })

    await run(longestMs)

    assert.ok(polled.includes('claim 1'))
  })
})
