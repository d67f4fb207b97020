import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { ServerCallContext } from '@a2a-js/sdk/server'
import { limits } from '@carapace/api'
import type { Platform } from '@carapace/service'
import { type Database, openDatabase } from '@carapace/store'
import { until } from '@carapace/testing'
import type { Collection } from 'mongoose'
import { type RunningGateway, startGateway } from '../start.ts'
import { a2aClient, from } from '../testing/a2a-client.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { openTasks, type StoredTask, type Tasks } from './tasks.ts'

describe('two gateways with A2A', function () {
  this.timeout(60_000)
  let harness: Harness
  let second: RunningGateway
  let clients: ReturnType<typeof a2aClient>[]
  before(async () => {
    harness = await startHarness({ TRUSTED_PROXIES: '127.0.0.1' }, { exclusive: false })
    second = await startGateway(harness.options)
    const { upstream } = harness
    clients = [harness.url, second.url].map(url => a2aClient({ upstream, url }))
  })
  after(async () => {
    await second.close()
    await harness.close()
  })

  it('have no more streams open to one reader than one of them', async () => {
    const { id } = await clients[0]!.follow(from(34))
    const readers = new AbortController()
    const all = Array.from({ length: limits.tasks.streams }, (_, n) => clients[n % 2]!.subscribe(id, from(34), readers.signal))
    const opened = await Promise.all(all)
    const room = limits.tasks.streams - opened.filter(({ status }) => status === 200).length
    for (let n = 0; n < room; n++) await clients[0]!.subscribe(id, from(34), readers.signal)

    for (const client of clients) assert.equal((await client.subscribe(id, from(34))).status, 429)
    assert.equal((await clients[1]!.subscribe(id, from(56), readers.signal)).status, 200)
    readers.abort()
    await until('there is room again', async () => (await clients[1]!.subscribe(id, from(34), AbortSignal.timeout(1_000))).status === 200)
  })
})

describe('the tasks of A2A', function () {
  this.timeout(60_000)
  let harness: Harness
  let db: Database
  before(async () => {
    harness = await startHarness({ TRUSTED_PROXIES: '127.0.0.1' })
    db = await openDatabase({ uri: harness.mongo.uri, name: `${harness.mongo.prefix}carapace_gateway` })
  })
  after(async () => {
    await db.close()
    await harness.close()
  })
  const stored = () => db.connection.collection<StoredTask>('a2a_tasks')

  /** As each of two replicas has them, which both have counted before one of them writes. */
  async function replicas(): Promise<Tasks[]> {
    let counted = 0
    const inPairs = (collection: Collection<StoredTask>) => {
      const countDocuments = async (...args: Parameters<typeof collection.countDocuments>) => {
        const found = await collection.countDocuments(...args)
        counted++
        await until('the other one has counted too', () => counted >= 2)
        return found
      }
      return new Proxy(collection, {
        get: (all, name) => {
          if (name === 'countDocuments') return countDocuments
          const value = Reflect.get(all, name)
          return typeof value === 'function' ? value.bind(all) : value
        },
      })
    }
    const connection = { collection: (name: string) => inPairs(db.connection.collection(name) as unknown as Collection<StoredTask>) }
    const parts = () => ({
      db: { ...db, connection } as unknown as Database,
      queue: { serialize: (_key: string, work: () => unknown) => work() } as Platform['queue'],
      clock: { now: () => new Date() } as Platform['clock'],
      sealing: {} as Platform['sealing'],
      outgoing: {},
    })
    return Promise.all([openTasks(parts()), openTasks(parts())])
  }

  it('follow no more gigs for one reader, also where two replicas see the last place at the same time', async () => {
    const follower = randomUUID()
    const others = Array.from({ length: limits.tasks.follows - 1 }, () => ({ _id: randomUUID(), follower, expireAt: new Date(Date.now() + 60_000) }))
    await stored().insertMany(others as never)
    const context = new ServerCallContext({ user: { isAuthenticated: true, userName: follower } })
    const [one, other] = await replicas()

    await Promise.allSettled([one!, other!].map(tasks => tasks.follow(randomUUID(), context, { gigId: randomUUID(), gigStatus: 'open' })))

    const followed = await stored().countDocuments({ follower })
    assert.ok(followed <= limits.tasks.follows, `${followed} are followed`)
  })

  it('of one site are stored so many at most: the oldest make room, but for those that follow a gig', async () => {
    const client = a2aClient(harness)
    const find = async (headers: Record<string, string>): Promise<string> => {
      const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'find_agents solidity' }] }
      return (await client.rpc('SendMessage', { message }, headers)).result.task.id
    }
    const isThere = async (id: string) => (await client.rpc('GetTask', { id }, from(12))).result !== undefined
    const following = await client.follow(from(12))
    const [oldest, second] = [await find(from(12)), await find(from(12, 2))]
    const other = await find(from(34))
    await Promise.all(Array.from({ length: limits.tasks.perAddress - 3 }, (_, n) => find(from(12, n))))
    assert.deepEqual([await isThere(oldest), await isThere(second)], [true, true])
    await find(from(12, 200))
    await find(from(12, 201))

    const left = await stored().countDocuments({ owner: null, holder: { $exists: true } })
    assert.deepEqual([await isThere(oldest), await isThere(following.id), await isThere(other)], [false, true, true])
    assert.ok(left <= limits.tasks.perAddress + 2, `${left} are stored`)
  })
})
