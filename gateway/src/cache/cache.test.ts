import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { brotliDecompressSync } from 'node:zlib'
import { until } from '@carapace/testing'
import { startGateway } from '../start.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { makeReceipt } from '../testing/receipt.ts'
import { json, type Upstream } from '../testing/upstream.ts'
import { cacheLimits } from './micro-cache.ts'

const list = '/api/agents'
const publicly = { 'cache-control': 'public, max-age=1' }

describe('the micro-cache', () => {
  let harness: Harness
  let version = 0
  before(async () => {
    // so long that a slow machine does not end it in the middle of a test
    harness = await startHarness({}, { upstreamTimeoutMs: 700, cacheLimits: { ...cacheLimits, lifetimeMs: 600_000 } })
  })
  after(() => harness.close())
  const usual: Upstream['answer'] = ({ url }, response) => json(response, 200, { version, url }, { ...publicly, etag: `W/"${version}"` })
  let id = ''
  beforeEach(async () => {
    version = 1
    id = randomUUID()
    harness.upstream.answer = usual
    // a write that names nobody: no list of the test before is left
    await harness.call('POST', '/api/register-agent', { body: {} })
  })

  const get = (path: string, headers: Record<string, string> = {}) => harness.call('GET', path, { headers })
  /** How often services got a request while `run` ran. */
  const passedIn = async (run: () => Promise<unknown>) => {
    const before = harness.upstream.seen.length
    await run()
    return harness.upstream.seen.length - before
  }
  const twice = (path: string, headers?: Record<string, string>) =>
    passedIn(async () => {
      await get(path, headers)
      await get(path, headers)
    })

  it('answers a public read from memory, with headers of its own for each request', async () => {
    const first = await get(list)
    version = 2
    const second = await get(list, { 'x-request-id': 'mine' })

    assert.deepEqual(second.body, first.body)
    assert.equal(second.headers.get('age'), '0')
    for (const name of [
      'etag',
      'content-type',
      'content-length',
      'cache-control',
      'x-auth-mode',
      'x-content-type-options',
      'access-control-allow-origin',
    ])
      assert.equal(second.headers.get(name), first.headers.get(name), name)
    assert.equal(second.headers.get('x-request-id'), 'mine')
    assert.notEqual(second.headers.get('traceparent'), first.headers.get('traceparent'))
    assert.equal(Number(second.headers.get('x-ratelimit-remaining')), Number(first.headers.get('x-ratelimit-remaining')) - 1)
  })

  it('answers 304 to a client that has the answer, with neither body nor length', async () => {
    await rawGet(list, {})
    const same = await rawGet(list, { 'if-none-match': 'W/"1"' })
    const other = await rawGet(list, { 'if-none-match': 'W/"0"' })

    assert.deepEqual([same.status, same.body.length, same.headers.etag, same.headers.age], [304, 0, 'W/"1"', '0'])
    assert.deepEqual([same.headers['content-type'], same.headers['content-length']], [undefined, undefined])
    assert.deepEqual([other.status, other.headers.age, JSON.parse(other.body.toString()).version], [200, '0', 1])
  })

  for (const [name, value] of Object.entries({
    'x-agent-id': randomUUID(),
    'x-wallet-address': `0x${'1'.repeat(40)}`,
    'x-admin-wallet': `0x${'1'.repeat(40)}`,
    'x-admin-key': 'key',
    authorization: 'Bearer x',
    cookie: 'a=b',
    'x-payment': 'e30=',
    'payment-signature': 'e30=',
    'cache-control': 'no-cache',
    pragma: 'no-cache',
  }))
    it(`is bypassed by a request with ${name}, in both directions`, async () => {
      assert.equal(await twice(list, { [name]: value }), 2)
      assert.equal(await passedIn(() => get(list)), 1)
      assert.equal(await passedIn(() => get(list, { [name]: value })), 1)
    })

  it('is bypassed by a request with a signature', async () => {
    await get(list)
    const answer = await get(list, { signature: 'eth=:AA==:', 'signature-input': 'eth=()' })

    assert.equal(answer.headers.get('age'), null)
    assert.equal(answer.status, 401)
  })

  it('distinguishes method, path, query, Accept and Accept-Encoding', async () => {
    const request = async () => {
      await get(list)
      await harness.call('HEAD', list)
      await get(`${list}/`)
      await get(`${list}?limit=2`)
      await get(list, { accept: 'application/json' })
      await get(list, { 'accept-encoding': 'gzip' })
    }

    assert.equal(await passedIn(request), 6)
    assert.equal(await passedIn(request), 0)
  })

  it('answers HEAD with the headers of a GET and no body', async () => {
    const [stored, again] = [await harness.call('HEAD', list), await harness.call('HEAD', list)]

    assert.deepEqual([again.status, again.body, again.headers.get('age')], [200, '', '0'])
    assert.equal(again.headers.get('content-length'), stored.headers.get('content-length'))
    assert.ok(Number(again.headers.get('content-length')) > 0)
  })

  it('stores what was compressed as it went out', async () => {
    const text = 'text '.repeat(1_000)
    harness.upstream.answer = (_seen, response) => json(response, 200, { text }, publicly)
    const [first, second] = [await rawGet(list, { 'accept-encoding': 'br' }), await rawGet(list, { 'accept-encoding': 'br' })]

    for (const { headers, body } of [first, second]) {
      assert.deepEqual([headers['content-encoding'], headers.vary], ['br', 'accept-encoding'])
      assert.equal(JSON.parse(brotliDecompressSync(body).toString()).text, text)
    }
    assert.deepEqual([second.headers.age, second.headers['content-length']], ['0', String(second.body.length)])
  })

  const unstored: [what: string, path: string, status: number, headers: Record<string, string>][] = [
    ['a refusal', list, 404, publicly],
    ['an answer that is accepted only', list, 202, publicly],
    ['what may not be stored', list, 200, { 'cache-control': 'private, no-store' }],
    ['what is over immediately', list, 200, { 'cache-control': 'public, max-age=0' }],
    ['what says nothing of it', list, 200, {}],
    ['what depends on a header that is not in its key', list, 200, { ...publicly, vary: 'accept, x-agent-id' }],
    ['a read that depends on its caller', `/api/gigs/${randomUUID()}`, 200, publicly],
    ['a read that has a price', `/api/agents/${randomUUID()}/reputation`, 200, publicly],
  ]
  for (const [what, path, status, headers] of unstored)
    it(`does not store ${what}`, async () => {
      harness.upstream.answer = (_seen, response) => json(response, status, { code: 'NOT_FOUND' }, headers)

      assert.equal(await twice(path), 2)
    })

  it('does not store an answer that breaks off', async () => {
    harness.upstream.answer = (_seen, response) => {
      response.writeHead(200, { ...publicly, 'content-type': 'application/json', 'content-length': 100 }).write('{"half":', () => response.destroy())
    }
    await assert.rejects(get(list))
    harness.upstream.answer = usual

    assert.equal((await get(list)).body.version, 1)
  })

  describe('after a write', () => {
    const record = () => `/api/escrow/${id}`
    const write = (path: string, body: unknown = {}, headers: Record<string, string> = {}) => harness.call('POST', path, { body, headers })
    const isStored = async (path: string) => (await get(path)).headers.get('age') === '0'

    it('has the records of other services and no lists', async () => {
      const other = `/api/escrow/${randomUUID()}`
      for (const path of [list, record(), other]) await get(path)
      await write('/api/register-agent', { gigId: id })

      assert.deepEqual([await isStored(other), await isStored(list), await isStored(record())], [true, false, false])
    })

    it('has no record of its service, which may have changed without being named', async () => {
      const agent = harness.agent()
      const [gig, escrow] = [`/api/gigs/${randomUUID()}`, `/api/escrow/${id}`]
      for (const path of [gig, escrow]) await get(path)
      await write(`/api/offers/${randomUUID()}/respond`, { action: 'accept' }, { 'x-agent-id': agent.agentId, 'x-wallet-address': agent.wallet })

      assert.deepEqual([await isStored(gig), await isStored(escrow)], [false, true])
    })

    it('has no record that its path, its body or its caller names, of any service', async () => {
      const agent = harness.agent()
      const reads = [`/api/agents/${agent.agentId}`, `/api/risk/${agent.agentId}`]
      const writes: [string, unknown, Record<string, string>][] = [
        [`/api/agents/${agent.agentId}/heartbeat`, {}, {}],
        ['/api/register-agent', { nested: [{ agentId: agent.agentId.toUpperCase() }] }, {}],
        ['/api/gigs', {}, { 'x-agent-id': agent.agentId, 'x-wallet-address': agent.wallet }],
      ]
      for (const [path, body, headers] of writes) {
        for (const read of reads) await get(read)
        await write(path, body, { 'x-agent-id': agent.agentId, 'x-wallet-address': agent.wallet, ...headers })

        for (const read of reads) assert.equal(await isStored(read), false, `${path} ${read}`)
      }
    })

    it('answers what was written as soon as the writer has its answer', async () => {
      for (let i = 0; i < 20; i++) {
        await Promise.all([get(list), get(record())])
        harness.upstream.answer = (seen, response) => {
          if (seen.method === 'POST') version++
          usual(seen, response)
        }
        await write('/api/register-agent', { gigId: id })

        assert.deepEqual([(await get(list)).body.version, (await get(record())).body.version], [version, version])
      }
    })

    it('does not store an older answer that arrives later', async () => {
      const waiting: (() => void)[] = []
      harness.upstream.answer = (seen, response) => {
        if (seen.method === 'POST') return usual(seen, response)
        const older = version
        waiting.push(() => json(response, 200, { version: older }, publicly))
      }
      const reading = [get(list), get(record())]
      await until('the service has read', () => waiting.length === 2)
      version = 2
      await write('/api/register-agent', { gigId: id })
      for (const send of waiting) send()
      assert.deepEqual(
        (await Promise.all(reading)).map(({ body }) => body.version),
        [1, 1],
      )
      harness.upstream.answer = usual

      assert.deepEqual([(await get(list)).body.version, (await get(record())).body.version], [2, 2])
    })

    it('has nothing of it either when the service did not answer in time', async () => {
      await Promise.all([get(list), get(record())])
      harness.upstream.answer = (seen, response) => {
        if (seen.method === 'GET') return usual(seen, response)
        version = 2
      }
      const lost = await write('/api/register-agent', { gigId: id })

      assert.equal(lost.body.code, 'TIMEOUT')
      assert.deepEqual([(await get(list)).body.version, (await get(record())).body.version], [2, 2])
    })

    it('has nothing at all when the sandbox clock was moved', async () => {
      await get(record())
      await write('/api/sandbox/clock', { advanceSeconds: 0 })

      assert.equal(await isStored(record()), false)
    })
  })

  it('answers a page from memory until anything was written: it may show records of several services', async () => {
    const receipts = harness.upstream.receipts
    const shownTitle = async () => /<h1>(.*?)<\/h1>/.exec((await get(`/trust-receipt/${id}`)).body)?.[1]
    receipts.set(id, makeReceipt({ id, gigTitle: 'First' }))
    await shownTitle()
    receipts.set(id, makeReceipt({ id, gigTitle: 'Second' }))
    assert.equal(await shownTitle(), 'First')

    await harness.call('POST', '/api/register-agent', { body: {} })

    assert.equal(await shownTitle(), 'Second')
  })

  it('of a second gateway knows nothing of a write, and is no older than max-age; a request that names its agent is answered from the service', async () => {
    const { cacheLimits: _, ...options } = harness.options
    const second = await startGateway({ ...options, exclusive: false })
    try {
      const there = async (headers: Record<string, string> = {}) =>
        (await fetch(second.url + list, { headers }).then(answer => answer.json())) as { version: number }
      await there()
      version = 2
      await harness.call('POST', '/api/register-agent', { body: {} })

      assert.equal((await get(list)).body.version, 2)
      assert.equal((await there({ 'x-agent-id': harness.agent().agentId })).version, 2)
      await until('the second gateway answers what was written', async () => (await there()).version === 2)
    } finally {
      await second.close()
    }
  })

  it('serves on under queries of every size that nobody repeats', async () => {
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, i) => get(`${list}?q=${i}${'x'.repeat(4_000)}`, { accept: 'a'.repeat(i * 20) })),
    )

    assert.ok(answers.every(({ status }) => status === 200))
    assert.equal(await twice(list), 1)
  })

  /** As no `fetch` calls: that adds cache-control to conditional requests. */
  async function rawGet(path: string, headers: Record<string, string>): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
    const [response] = (await once(httpRequest(harness.url + path, { headers }).end(), 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }
  }
})
