import assert from 'node:assert/strict'
import { clockAdvanced, hourMs } from '@carapace/api'
import { openDatabase } from '@carapace/store'
import { acquireMongo, startPlatform, type TestMongo, until } from '@carapace/testing'
import { openPlatformClock } from './platform-clock.ts'
import { newWorld, things } from './things.fixture.ts'

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

  it('takes over what another replica was told', async () => {
    const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}replicas` })
    const [one, other] = [await openPlatformClock(db), await openPlatformClock(db)]

    await one.advanceTo(hourMs)
    assert.equal(other.offsetMs(), 0)
    await other.refresh()

    assert.equal(other.offsetMs(), hourMs)
    await db.close()
  })

  it('moves by the event, which runs the jobs that become due', async () => {
    const seen: Date[] = []
    const jobs = () => [{ name: 'timer', everyMs: 24 * hourMs, run: async (now: Date) => seen.push(now) }]
    const platform = await startPlatform([{ ...things(newWorld()), jobs }], { mongo })

    await platform.publish(clockAdvanced.of({ offsetMs: hourMs }))

    await until('the job ran', () => seen.length > 0)
    near(seen[0]!, Date.now() + hourMs)
    await platform.close()
  })
})
