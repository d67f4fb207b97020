import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { limits } from '@carapace/api'
import { type Database, openDatabase } from '@carapace/store'
import { acquireMongo, published, type TestMongo, until } from '@carapace/testing'
import { assigned } from '../testing/assigned.ts'
import { liveStore } from './live.store.ts'
import { liveStreams, type StreamPace } from './streams.ts'

const pace: StreamPace = { silenceMs: 60_000, wakeMs: 60_000, pollMs: 20 }

describe('live events of several replicas', () => {
  let mongo: TestMongo
  const opened: Database[] = []
  const reading = new AbortController()

  before(async () => {
    mongo = await acquireMongo()
  })
  after(async () => {
    reading.abort()
    for (const db of opened) await db.close()
    await mongo.close()
  })

  const replica = async (name: string, given = pace) => {
    const db = await openDatabase({ uri: mongo.uri, name: mongo.prefix + name })
    opened.push(db)
    const store = liveStore(db)
    await db.init()
    const live = liveStreams(store, false, given)
    const read = async (lastEventId?: string) => {
      const seen: string[] = []
      const open = await live.open({ ip: name, ...(lastEventId === undefined ? {} : { lastEventId }) })
      const reads = (async () => {
        for await (const frame of open(reading.signal)) seen.push(String(frame))
      })()
      reads.catch(() => undefined)
      await until('it is open', () => seen.length > 0)
      return () => seen.map(frame => /^id: (\d+)/.exec(frame)?.[1]).filter(id => id !== undefined)
    }
    return { db, store, live, read }
  }
  const event = () => published(assigned(randomUUID())).event

  it('have places without a gap, in one order for the readers of each', async () => {
    const [one, other] = [await replica('shared'), await replica('shared')]
    const [ofOne, ofOther] = [await one.read(), await other.read()]
    const events = Array.from({ length: 120 }, event)

    for (let at = 0; at < events.length; at += 6) {
      const [first, second] = [events.slice(at, at + 3), events.slice(at + 3, at + 6)]
      // one event of each is delivered to both
      await Promise.all([...first, second[0]!].map(one.live.add).concat([...second, first[0]!].map(other.live.add)))
    }

    await until('both have read all', () => ofOne().length === 120 && ofOther().length === 120)
    const places = ofOne().map(Number)
    assert.deepEqual(ofOther(), ofOne())
    assert.deepEqual(
      places,
      places.map((_, at) => places[0]! + at),
    )
    const rows = await one.store.between(0, Number.MAX_SAFE_INTEGER, {}, 1_000)
    assert.deepEqual(new Set(rows.map(({ eventId }) => eventId)), new Set(events.map(({ id }) => id)))
  })

  it('go on above every place that there was, when the old ones are removed', async () => {
    const { db, live, store, read } = await replica('emptied')
    await live.add(event())
    const before = await store.newest()
    await db.connection.collection('live_events').deleteMany({})
    const later = await replica('emptied')

    await later.live.add(event())
    const after = await later.store.newest()

    assert.ok(after >= before, `${after} after ${before}`)
    const ids = await read(String(before - 1))
    await until('it is read', () => ids().length === 1)
  })

  it('send a heartbeat to a silent reader', async () => {
    const { live } = await replica('silent', { ...pace, silenceMs: 1, wakeMs: 5 })
    const seen: string[] = []

    for await (const frame of (await live.open({ ip: 'x' }))(reading.signal)) {
      seen.push(String(frame))
      if (seen.length === 3) break
    }

    assert.deepEqual(seen.slice(1), [': still here\nid: 0\n\n', ': still here\nid: 0\n\n'])
  })

  it('have so many readers at one address at most, and an IPv6 site is one', async () => {
    const { live } = await replica('site')
    const open = async (ip: string) => {
      for await (const _ of (await live.open({ ip }))(reading.signal)) return
    }
    const opened: AsyncIterator<unknown>[] = []
    for (let n = 0; n < limits.events.perAddress; n++) {
      const frames = (await live.open({ ip: `2001:db8:0:12${n.toString(16).padStart(2, '0')}::1` }))(reading.signal)[Symbol.asyncIterator]()
      await frames.next()
      opened.push(frames)
    }

    await assert.rejects(open('2001:db8:0:12ff::1'), { code: 'RATE_LIMITED' })
    await open('2001:db8:0:1300::1')
    await opened[0]!.return!()
    await open('2001:db8:0:12ff::1')
  })

  it('reach a reader with an old place page by page', async () => {
    const { live, store, read } = await replica('far')
    await live.add(event())
    const from = await store.newest()
    await Promise.all(Array.from({ length: 1_500 }, () => live.add(event())))

    const ids = await read(String(from))

    await until('all are read', () => ids().length === 1_500)
    assert.deepEqual(
      ids().map(Number),
      Array.from({ length: 1_500 }, (_, at) => from + 1 + at),
    )
  })
})
