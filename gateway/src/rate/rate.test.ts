import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { get } from 'node:http'
import { makeLog } from '@carapace/service'
import { openDatabase } from '@carapace/store'
import { acquireMongo, httpCall, newWallet, type TestMongo } from '@carapace/testing'
import { startGateway } from '../start.ts'
import { startHarness } from '../testing/harness.ts'
import { openSharedWindows, sharedWindows } from './store.ts'

describe('rate limits', () => {
  it('allow so many reads per address, and say so in both kinds of headers', async () => {
    const harness = await startHarness({ RATE_LIMIT_READ: '3' })
    try {
      const answers = []
      for (let i = 0; i < 4; i++) answers.push(await harness.call('GET', '/api/agents', { headers: { 'x-agent-id': randomUUID() } }))

      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 429],
      )
      const [first, , , last] = answers
      assert.equal(first!.headers.get('x-ratelimit-limit'), '3')
      assert.equal(first!.headers.get('x-ratelimit-remaining'), '2')
      assert.match(first!.headers.get('ratelimit') ?? '', /^"read"; r=2; t=\d+$/)
      assert.match(first!.headers.get('ratelimit-policy') ?? '', /^"read"; q=3; w=60$/)
      assert.deepEqual([last!.body.code, last!.body.status], ['RATE_LIMITED', 429])
      assert.ok(Number(last!.headers.get('retry-after')) > 0)
      assert.match(last!.headers.get('ratelimit') ?? '', /r=0/)
    } finally {
      await harness.close()
    }
  })

  it('count writes per caller, and ten times as many per address', async () => {
    const harness = await startHarness({ RATE_LIMIT_WRITE: '2' })
    try {
      const write = async (id: string) => (await harness.call('POST', '/api/register-agent', { headers: { 'x-agent-id': id }, body: {} })).status
      const one = randomUUID()

      assert.deepEqual([await write(one), await write(one), await write(one)], [200, 200, 429])
      const others = []
      for (let i = 0; i < 18; i++) others.push(await write(randomUUID()))
      assert.deepEqual([others.filter(status => status === 200).length, others.at(-1)], [17, 429])
    } finally {
      await harness.close()
    }
  })

  it('count writes without a signature by their address in signed mode, and not by the name that they bear', async () => {
    const harness = await startHarness({ RATE_LIMIT_WRITE: '2', AUTH_MODE: 'signed' })
    try {
      const statuses = []
      for (const name of ['x-agent-id', 'x-wallet-address', 'x-agent-id'])
        statuses.push(
          (await harness.call('POST', '/api/register-agent', { headers: { [name]: name === 'x-agent-id' ? randomUUID() : newWallet() }, body: {} }))
            .status,
        )

      assert.deepEqual(statuses, [200, 200, 429])
    } finally {
      await harness.close()
    }
  })

  it('count what leads nowhere as a read, so that paths cannot be tried out for free', async () => {
    const harness = await startHarness({ RATE_LIMIT_READ: '2' })
    try {
      const codes = []
      for (let i = 0; i < 3; i++) codes.push((await harness.call('GET', '/api/nothing')).body.code)

      assert.deepEqual(codes, ['ROUTE_NOT_FOUND', 'ROUTE_NOT_FOUND', 'RATE_LIMITED'])
      assert.equal((await harness.call('OPTIONS', '/api/nothing')).body.code, 'RATE_LIMITED')
      const preflight = { origin: 'https://other.example', 'access-control-request-method': 'GET' }
      assert.equal((await harness.call('OPTIONS', '/api/agents', { headers: preflight })).status, 200)
    } finally {
      await harness.close()
    }
  })

  it('count a faulty target and a foreign Host as reads too, also once they are refused', async () => {
    const harness = await startHarness({ RATE_LIMIT_READ: '3' })
    const statusOf = (path: string, host: string) =>
      new Promise<number>((resolve, reject) => {
        const { hostname, port } = new URL(harness.url)
        get({ hostname, port, path, headers: { host } }, answer => resolve(answer.resume().statusCode ?? 0)).on('error', reject)
      })
    const faults = [
      ['/api/gigs/%zz', 'localhost'],
      ['http://elsewhere.example/api/agents', 'localhost'],
      ['/api/agents', 'rebound.example'],
    ] as const
    try {
      const statuses = []
      for (const [path, host] of [...faults, ...faults]) statuses.push(await statusOf(path, host))

      assert.deepEqual(statuses, [400, 400, 403, 429, 429, 429])
      assert.equal((await harness.call('GET', '/api/agents')).status, 429)
    } finally {
      await harness.close()
    }
  })

  it('count probes of others in a window of their own, and none of this machine', async () => {
    const harness = await startHarness({ RATE_LIMIT_READ: '1', TRUSTED_PROXIES: '127.0.0.1' })
    try {
      const statuses = async (headers: Record<string, string>) => {
        const list = []
        for (let i = 0; i < 12; i++) list.push((await harness.call('GET', '/healthz', { headers })).status)
        return list
      }
      assert.deepEqual((await statuses({ 'x-forwarded-for': '203.0.113.9' })).slice(9), [200, 429, 429])
      assert.ok((await statuses({})).every(status => status === 200))
    } finally {
      await harness.close()
    }
  })

  it('leave health and pages alone, and count reads and writes apart', async () => {
    const harness = await startHarness({ RATE_LIMIT_READ: '1', RATE_LIMIT_WRITE: '1' })
    try {
      for (let i = 0; i < 5; i++) assert.equal((await harness.call('GET', '/healthz')).status, 200)
      assert.equal((await harness.call('GET', '/api/agents')).status, 200)
      assert.equal((await harness.call('POST', '/api/register-agent', { body: {} })).status, 200)
      assert.equal((await harness.call('GET', '/api/agents')).status, 429)
    } finally {
      await harness.close()
    }
  })

  it('count a client by its forwarded address only where the proxy is trusted', async () => {
    const [open, trusting] = await Promise.all([
      startHarness({ RATE_LIMIT_READ: '2' }),
      startHarness({ RATE_LIMIT_READ: '2', TRUSTED_PROXIES: '127.0.0.1' }),
    ])
    try {
      const statuses = async (url: string) => {
        const list = []
        for (let i = 0; i < 4; i++) list.push((await httpCall(url, 'GET', '/api/agents', { headers: { 'x-forwarded-for': `10.0.0.${i}` } })).status)
        return list
      }
      assert.deepEqual(await statuses(open.url), [200, 200, 429, 429])
      assert.deepEqual(await statuses(trusting.url), [200, 200, 200, 200])
      assert.equal(trusting.upstream.seen.at(-1)?.context?.ip, '10.0.0.3')
    } finally {
      await Promise.all([open.close(), trusting.close()])
    }
  })

  it('share their windows among replicas', async () => {
    const harness = await startHarness({ RATE_LIMIT_WRITE: '6' }, { exclusive: false })
    const second = await startGateway(harness.options)
    try {
      const headers = { 'x-agent-id': randomUUID() }
      const statuses: number[] = []
      for (let i = 0; i < 12; i++) {
        const url = i % 2 ? harness.url : second.url
        statuses.push((await httpCall(url, 'POST', '/api/register-agent', { headers, body: {} })).status)
      }
      const allowed = statuses.filter(status => status === 200).length
      // a window may end in between: then twice the limit passes, never more than once the limit in one window
      assert.ok(allowed === 6 || (allowed > 6 && allowed <= 12), statuses.join())
    } finally {
      await second.close()
      await harness.close()
    }
  })
})

describe('the shared store', () => {
  let mongo: TestMongo
  before(async () => {
    mongo = await acquireMongo()
  })
  after(() => mongo.close())

  it('counts every hit of all replicas once, also when they come at the same time', async () => {
    const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}rate` })
    await openSharedWindows(db)
    const log = makeLog({ process: 'test', level: 'silent' })
    const hour = { windowMs: 3_600_000 }
    const replicas = Array.from({ length: 3 }, () => sharedWindows(db, 'test', 1_000, log))
    for (const replica of replicas) replica.init(hour)

    const hits = await Promise.all(Array.from({ length: 60 }, (_, i) => replicas[i % 3]!.increment('client')))

    assert.deepEqual(
      hits.map(({ totalHits }) => totalHits).sort((a, b) => a - b),
      Array.from({ length: 60 }, (_, i) => i + 1),
    )
    for (const replica of replicas) replica.shutdown()
    await db.close()
  })

  it('reserves hits in blocks where limits are high, and never counts too few', async () => {
    const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}rate` })
    const log = makeLog({ process: 'test', level: 'silent' })
    const [a, b] = [0, 1].map(() => sharedWindows(db, 'blocks', 10_000, log))
    for (const store of [a!, b!]) store.init({ windowMs: 3_600_000 })

    const first = await a!.increment('client')
    const other = await b!.increment('client')
    const second = await a!.increment('client')

    assert.deepEqual([first.totalHits, other.totalHits, second.totalHits], [1, 11, 2])
    for (const store of [a!, b!]) store.shutdown()
    await db.close()
  })
})
