import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { type AnyEndpoint, apis, requestOf } from '@carapace/api'
import { type Harness, startHarness } from '../testing/harness.ts'

const admin = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

describe('the order of checks', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness({ RATE_LIMIT_WRITE: '1', ADMIN_WALLETS: admin })
  })
  after(() => harness.close())

  const big = 'x'.repeat(102_401)
  const text = { 'content-type': 'text/plain' }
  /** Each row breaks a rule and every later one; the earlier one answers. */
  const rows: [what: string, method: string, path: string, headers: Record<string, string>, raw: string | undefined, status: number, code: string][] =
    [
      ['route before method', 'DELETE', '/api/nothing', text, big, 404, 'ROUTE_NOT_FOUND'],
      ['method before size', 'DELETE', '/api/gigs', text, big, 405, 'METHOD_NOT_ALLOWED'],
      ['size before media type', 'POST', '/api/gigs', text, big, 413, 'PAYLOAD_TOO_LARGE'],
      ['media type before rate', 'POST', '/api/gigs', text, 'x', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ]
  for (const [what, method, path, headers, raw, status, code] of rows)
    it(`${what}: ${status} ${code}`, async () => {
      const answer = await harness.call(method, path, { headers, ...(raw === undefined ? {} : { raw }) })

      assert.deepEqual([answer.status, answer.body.code, answer.body.status], [status, code, status])
      assert.equal(answer.body.requestId, answer.headers.get('x-request-id'))
      if (status === 405) assert.equal(answer.headers.get('allow'), 'GET, HEAD, POST')
    })

  it('rate before identity: 429 RATE_LIMITED for a caller that is unknown, too', async () => {
    const headers = { 'x-agent-id': randomUUID() }
    const first = await harness.call('POST', '/api/gigs', { headers, body: {} })
    const second = await harness.call('POST', '/api/gigs', { headers, body: {} })

    assert.deepEqual([first.status, first.body.code], [401, 'AUTH_REQUIRED'])
    assert.deepEqual([second.status, second.body.code], [429, 'RATE_LIMITED'])
    assert.ok(Number(second.headers.get('retry-after')) > 0)
  })

  it('identity before the service, which judges path, body and object', async () => {
    const before = harness.upstream.seen.length
    const answer = await harness.call('POST', `/api/agents/${randomUUID()}/follow`, { headers: { 'x-agent-id': randomUUID() }, raw: '{"a": ' })

    assert.equal(answer.status, 401)
    assert.equal(harness.upstream.seen.length, before)
  })

  it('an admin is checked before the rate, and then not limited; a refused one is', async () => {
    const status = async (wallet: string) => (await harness.call('GET', '/api/admin/dead-letters', { headers: { 'x-admin-wallet': wallet } })).status
    for (let i = 0; i < 5; i++) assert.equal(await status(admin), 200)
    const refused = []
    for (let i = 0; i < 3; i++) refused.push(await status(`0x${'9'.repeat(40)}`))

    assert.deepEqual(refused, [403, 429, 429])
    assert.equal(await status(admin), 429, 'a right guess after many wrong ones')
  })

  it('knows no internal route, and treats HEAD as GET', async () => {
    const internal = Object.values(apis).flatMap(api => Object.values(api.internal) as AnyEndpoint[])
    const params = new Proxy({}, { get: () => randomUUID() })
    for (const { method, target } of internal.map(endpoint => requestOf(endpoint, { params })))
      assert.equal((await harness.call(method, target)).body.code, 'ROUTE_NOT_FOUND', `${method} ${target}`)
    const head = await harness.call('HEAD', '/api/agents')
    assert.deepEqual([head.status, head.body], [200, ''])
    assert.ok(Number(head.headers.get('content-length')) > 0)
  })

  const broken: [string, string][] = [
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nhost: x\r\nnonsense\r\n\r\n'],
    ['two lengths', 'POST /api/gigs HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['headers without end', `GET / HTTP/1.1\r\nhost: x\r\na: ${'b'.repeat(40_000)}\r\n\r\n`],
  ]
  for (const [what, bytes] of broken)
    it(`answers ${what} with the error body, and ends the connection`, async () => {
      const answer = await raw(harness.url, bytes)

      assert.match(answer, /^HTTP\/1\.1 400 /)
      const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
      assert.deepEqual([body.code, body.status, typeof body.message], ['VALIDATION_ERROR', 400, 'string'])
    })

  it('finds nothing under a path whose id is a dot segment, plain or encoded, and calls no service', async () => {
    const paths = ['/trust-receipt/..', '/trust-receipt/%2e%2E', '/api/agents/../gigs', '/api/bond/./status', '/api/circle/escrow/.%2e/balance']
    const seen = harness.upstream.seen.length
    for (const path of paths) {
      const answer = await raw(harness.url, `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`)

      assert.match(answer, /^HTTP\/1\.1 404 /, path)
      assert.match(answer, /"code":"ROUTE_NOT_FOUND"/, path)
    }
    assert.equal(harness.upstream.seen.length, seen)
  })

  it('accepts a target with a host in it, and refuses paths that cannot be decoded', async () => {
    const absolute = await raw(harness.url, 'GET http://localhost/api/agents HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
    const undecodable = await raw(harness.url, 'GET /api/gigs/%zz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')

    assert.match(absolute, /^HTTP\/1\.1 200 /)
    assert.equal(harness.upstream.seen.at(-1)?.url, '/api/agents')
    assert.match(undecodable, /^HTTP\/1\.1 400 /)
  })

  it('names what is wrong with the address, the hosts or a header', async () => {
    const host = 'host: localhost\r\nconnection: close\r\n'
    const faulty: [field: string, request: string][] = [
      ['url', `GET /api/gigs/%zz HTTP/1.1\r\n${host}\r\n`],
      ['url', `GET /api/gigs?skill=${'x'.repeat(4_096)} HTTP/1.1\r\n${host}\r\n`],
      ['host', `GET /api/agents HTTP/1.1\r\nhost: localhost\r\n${host}\r\n`],
      ['idempotency-key', `POST /api/register-agent HTTP/1.1\r\n${host}idempotency-key: \r\ncontent-length: 0\r\n\r\n`],
      ['request', 'nonsense\r\n\r\n'],
    ]
    for (const [field, request] of faulty) {
      const answer = await raw(harness.url, request)
      const { code, errors, message } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as ReturnType<typeof JSON.parse>

      assert.deepEqual([code, errors.map(({ path }: { path: string }) => path)], ['VALIDATION_ERROR', [field]], request)
      assert.ok(message.includes(errors[0].message), message)
    }
  })

  it('refuses no host and two hosts for one request: in the target and in Host, or twice in Host', async () => {
    const requests = [
      'GET http://elsewhere.example/api/agents HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
      'GET /api/agents HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\nconnection: close\r\n\r\n',
      'GET /api/agents HTTP/1.1\r\nconnection: close\r\n\r\n',
    ]
    for (const request of requests) {
      const answer = await raw(harness.url, request)

      assert.match(answer, /^HTTP\/1\.1 400 /, request)
      assert.match(answer, /"code":"VALIDATION_ERROR"/)
    }
  })

  it('answers a request before the broken one that follows it on the connection', async () => {
    const answer = await raw(harness.url, 'GET /api/agents HTTP/1.1\r\nhost: localhost\r\n\r\nnonsense\r\n\r\n')

    assert.match(answer, /^HTTP\/1\.1 200 /)
    assert.match(answer, /HTTP\/1\.1 400 Bad Request/)
  })

  it('reads no name of the older API as an id', async () => {
    for (const [method, path] of [
      ['POST', '/api/gigs/discover'],
      ['GET', '/api/gigs/create'],
      ['GET', '/api/crews/create'],
    ] as const)
      assert.equal((await harness.call(method, path, method === 'POST' ? { body: {} } : {})).body.code, 'ROUTE_NOT_FOUND', path)
  })

  it("preserves a caller's own request id when it is 1 to 64 visible characters", async () => {
    const own = await harness.call('GET', '/api/agents', { headers: { 'x-request-id': 'trace-7' } })
    const replaced = await harness.call('GET', '/api/agents', { headers: { 'x-request-id': 'x'.repeat(65) } })

    assert.equal(own.headers.get('x-request-id'), 'trace-7')
    assert.equal(harness.upstream.seen.at(-2)?.headers['x-request-id'], 'trace-7')
    assert.match(replaced.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
  })
})

/** Everything that comes back for these bytes. */
function raw(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes))
    let answer = ''
    socket.on('data', chunk => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}
