import assert from 'node:assert/strict'
import { clockAdvanced, hourMs, moveClock } from '@carapace/api'
import { openDatabase } from '@carapace/store'
import { acquireMongo, startPlatform, type TestMongo, until } from '@carapace/testing'
import { makePeers } from '../peers/peers.ts'
import { startThings } from '../testing/start-things.fixture.ts'
import { internalKey, newHarness, things } from '../testing/things.fixture.ts'
import { openPlatformClock } from './platform-clock.ts'

describe('the platform clock', () => {
  let mongo: TestMongo

  before(async () => {
    mongo = await acquireMongo()
  })
  after(() => mongo.close())

  const near = (time: Date, wanted: number) => assert.ok(Math.abs(time.getTime() - wanted) < 5_000)

  it('is ahead by an offset that only grows, and is still after a restart', async () => {
    const name = `${mongo.prefix}clock`
    const db = await openDatabase({ uri: mongo.uri, name })
    const clock = await openPlatformClock(db)
    near(clock.now(), Date.now())

    assert.equal(await clock.advanceTo(2 * hourMs), true)
    assert.equal(await clock.advanceTo(hourMs), false)
    near(clock.now(), Date.now() + 2 * hourMs)
    await db.close()

    const again = await openDatabase({ uri: mongo.uri, name })
    near((await openPlatformClock(again)).now(), Date.now() + 2 * hourMs)
    await again.close()
  })

  it('adopts what another replica has stored', async () => {
    const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}replicas` })
    const [one, other] = [await openPlatformClock(db), await openPlatformClock(db)]

    await one.advanceTo(hourMs)
    assert.equal(other.offsetMs(), 0)
    await other.refresh()

    assert.equal(other.offsetMs(), hourMs)
    await db.close()
  })

  it('has reached a time once every replica that lives has it', async () => {
    const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}reached` })
    const [one, other, dead] = [await openPlatformClock(db), await openPlatformClock(db), await openPlatformClock(db)]
    const rows = db.connection.collection<{ _id: string; at: Date }>('platform')
    await dead.refresh()
    const deadRow = (await rows.findOne({ at: { $exists: true } }))!
    for (const clock of [one, other]) await clock.refresh()
    await one.advanceTo(hourMs)
    let isReached = false
    const reached = one.reached(hourMs).then(() => {
      isReached = true
    })

    await other.refresh()
    assert.equal(isReached, false)
    await rows.updateOne({ _id: deadRow._id }, { $set: { at: new Date(Date.now() - hourMs) } })
    await reached

    await other.leave()
    assert.equal(await rows.countDocuments({ at: { $exists: true } }), 2)
    await db.close()
  })

  it('is moved for all replicas by one request, which answers when the jobs have run with the new time', async () => {
    let letRun = () => {}
    const mayRun = new Promise<void>(resolve => {
      letRun = resolve
    })
    const seen: Date[] = []
    const run = async (now: Date) => {
      await mayRun
      seen.push(now)
    }
    const jobs = () => [{ name: 'timer', everyMs: 24 * hourMs, run }]
    const service = await startThings({ env: { SANDBOX: 'yes' }, more: { jobs } })
    const replica = await startThings({ runtime: service.shares })
    let isAnswered = false

    const answering = makePeers(() => service.url, internalKey)
      .call('social', moveClock, { body: { offsetMs: hourMs }, timeoutMs: 30_000 })
      .finally(() => {
        isAnswered = true
      })
    await until('both have the time', () => [service, replica].every(({ platform }) => platform.clock.offsetMs() === hourMs))
    assert.equal(isAnswered, false)
    letRun()

    assert.deepEqual(await answering, { success: true, offsetMs: hourMs })
    near(seen[0]!, Date.now() + hourMs)
    for (const one of [replica, service]) await one.close()
  })

  it('is moved by nobody where there is no sandbox', async () => {
    const service = await startThings({ env: { SANDBOX: 'no' } })

    await assert.rejects(makePeers(() => service.url, internalKey).call('social', moveClock, { body: { offsetMs: hourMs } }), /not available/)

    assert.equal(service.platform.clock.offsetMs(), 0)
    await service.close()
  })

  it('moves by the event, which runs the jobs that become due', async () => {
    const seen: Date[] = []
    const jobs = () => [{ name: 'timer', everyMs: 24 * hourMs, run: async (now: Date) => seen.push(now) }]
    const platform = await startPlatform([{ ...things(newHarness()), jobs }], { mongo })

    await platform.publish(clockAdvanced.of({ offsetMs: hourMs }))

    await until('the job ran', () => seen.length > 0)
    near(seen[0]!, Date.now() + hourMs)
    await platform.close()
  })
})
