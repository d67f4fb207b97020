import assert from 'node:assert/strict'
import { aggregateStore, type Database, openDatabase } from '@carapace/store'
import { acquireMongo, type TestMongo, until } from '@carapace/testing'
import { pino } from 'pino'
import { dueBy } from './due.ts'
import { startJobs } from './jobs.ts'

interface Timer {
  id: string
  state: string
  dueAt: Date | null
}

describe('a job that says when it is due', () => {
  let mongo: TestMongo
  let db: Database
  const open = (name: string) => aggregateStore<Timer>(db, { collection: name, resource: 'timer' })

  before(async () => {
    mongo = await acquireMongo()
    db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}due` })
  })
  after(async () => {
    await db.close()
    await mongo.close()
  })

  it('is due with the earliest record that counts', async () => {
    const timers = open('earliest')
    const due = dueBy(timers, 'dueAt', { filter: { state: 'open' }, afterMs: 5 })
    assert.equal(await due.nextAt(), undefined)

    const rows: [string, Date | null][] = [
      ['open', new Date(2_000)],
      ['open', new Date(1_000)],
      ['closed', new Date(500)],
      ['open', null],
    ]
    for (const [n, [state, dueAt]] of rows.entries()) await timers.create({ id: String(n), state, dueAt }, [])

    assert.deepEqual(await due.nextAt(), new Date(1_005))
  })

  it('reads when something was saved and runs when something is due, not with every tick', async () => {
    const timers = open('saved')
    let [reads, ticks, now] = [0, 0, 0]
    const ran: Date[] = []
    const due = dueBy(timers, 'dueAt')
    const nextAt = () => {
      reads++
      return due.nextAt()
    }
    const counted = { ...due, nextAt }
    const run = async (at: Date) => {
      ran.push(at)
      await timers.change('a', timer => ({ state: { ...timer, dueAt: null }, events: [] }))
    }
    const jobs = [
      { name: 'timers', everyMs: 2, due: counted, run },
      { name: 'ticks', everyMs: 2, run: async () => ticks++ },
    ]
    const someTicks = async () => {
      const before = ticks
      await until('time has passed', () => ticks >= before + 10)
    }
    const listeners = db.changes.listenerCount('saved')
    const runner = startJobs(jobs, { now: () => new Date(now) }, pino({ level: 'silent' }), { name: 'social', db, exclusive: true })

    await until('it has read', () => reads === 1)
    await someTicks()
    assert.deepEqual([reads, ran.length], [1, 0])
    await timers.create({ id: 'a', state: 'open', dueAt: new Date(1_000) }, [])
    await until('it has read again', () => reads === 2)
    await someTicks()
    assert.deepEqual([reads, ran.length], [2, 0])
    now = 1_000
    await until('it ran', () => ran.length > 0)
    await someTicks()
    assert.deepEqual(ran, [new Date(1_000)])
    assert.ok(reads <= 4)
    await runner.runAll()
    assert.equal(ran.length, 2)
    await runner.close()
    assert.equal(db.changes.listenerCount('saved'), listeners)
  })
})
