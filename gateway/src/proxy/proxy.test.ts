import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { get, request as httpRequest, type IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } from 'node:zlib'
import { contextHeader } from '@carapace/service'
import { type FaultProxy, startFaultProxy, until } from '@carapace/testing'
import { type Harness, startHarness } from '../testing/harness.ts'
import { json } from '../testing/upstream.ts'

describe('the proxy', () => {
  let harness: Harness
  let faults: FaultProxy
  before(async () => {
    let target = ''
    harness = await startHarness({}, { address: () => target, upstreamTimeoutMs: 700 })
    faults = await startFaultProxy({ port: harness.upstream.port })
    target = `http://127.0.0.1:${faults.port}`
  })
  after(async () => {
    await harness.close()
    await faults.close()
  })
  const usual = () => harness.upstream.answer
  let answer: ReturnType<typeof usual>
  beforeEach(() => {
    answer = harness.upstream.answer
    faults.pass()
  })
  afterEach(() => {
    harness.upstream.answer = answer
  })

  it('passes no context, identity, key or connection header of a client on', async () => {
    await harness.call('GET', '/api/agents', {
      headers: {
        [contextHeader]: 'forged.forged',
        'X-CARAPACE-CONTEXT': 'forged.too',
        'x-agent-id': 'someone',
        'x-admin-wallet': 'someone',
        'x-admin-key': 'secret',
        authorization: 'Bearer secret',
        cookie: 'a=b',
        'x-forwarded-for': '1.2.3.4',
        prefer: 'respond-async',
      },
    })

    const { headers, context } = harness.upstream.seen.at(-1)!
    assert.equal(context?.mode, 'plain')
    assert.equal(context?.agent, undefined)
    const passed = new Set(['host', 'connection', contextHeader, 'x-request-id', 'traceparent', 'accept', 'accept-language', 'user-agent', 'prefer'])
    assert.deepEqual(
      Object.keys(headers).filter(name => !passed.has(name)),
      [],
    )
    assert.equal(headers.prefer, 'respond-async')
  })

  it('sends each part of an answer without a length on as soon as it has it, compressed too', async () => {
    for (const [encoding, unpacker] of [
      ['identity', () => new PassThrough()],
      ['gzip', createGunzip],
      ['br', createBrotliDecompress],
    ] as const) {
      let finish: () => void = assert.fail
      harness.upstream.answer = (_seen, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).write('<h1>first</h1>')
        finish = () => response.end('<p>rest</p>')
      }
      const sent = get(`${harness.url}/api/agents`, { headers: { 'accept-encoding': encoding } })
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      const text = response.pipe(unpacker())

      assert.equal(String((await once(text, 'data'))[0]), '<h1>first</h1>', encoding)
      finish()
      assert.equal(String((await once(text, 'data'))[0]), '<p>rest</p>', encoding)
    }
  })

  it('compresses text of 1 kB and more for clients that accept it, and nothing else', async () => {
    const long = { text: 'agents '.repeat(1_000) }
    const sizeOf = async (accept: string | undefined, body: object, type = 'application/json; charset=utf-8', status = 200) => {
      harness.upstream.answer = (_seen, response) => json(response, status, body, { 'content-type': type, vary: 'x-agent-id' })
      const headers = accept === undefined ? {} : { 'accept-encoding': accept }
      const response = await new Promise<IncomingMessage>(resolve => get(`${harness.url}/api/agents`, { headers }, resolve))
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      return { headers: response.headers, bytes: Buffer.concat(chunks) }
    }

    const br = await sizeOf('gzip, br', long)
    const gzip = await sizeOf('br;q=0, gzip;q=0.5', long)
    assert.deepEqual([br.headers['content-encoding'], br.headers.vary], ['br', 'x-agent-id, accept-encoding'])
    assert.deepEqual(JSON.parse(brotliDecompressSync(br.bytes).toString()), long)
    assert.equal(gzip.headers['content-encoding'], 'gzip')
    assert.deepEqual(JSON.parse(gunzipSync(gzip.bytes).toString()), long)
    for (const plain of [
      await sizeOf(undefined, long),
      await sizeOf('identity', long),
      await sizeOf('gzip', { text: 'short' }),
      await sizeOf('gzip', long, 'image/png'),
    ])
      assert.equal(plain.headers['content-encoding'], undefined)
  })

  it('gives status, body, length, ETag, Link and Retry-After back, and names the request itself', async () => {
    harness.upstream.answer = (_seen, response) =>
      json(
        response,
        409,
        { a: 1 },
        {
          etag: 'W/"5"',
          link: '</api/gigs?offset=20>; rel="next"',
          'retry-after': '7',
          'x-total-count': '41',
          'x-request-id': 'theirs',
          'x-powered-by': 'x',
        },
      )

    const { status, headers, body } = await harness.call('GET', '/api/gigs')

    assert.deepEqual([status, body], [409, { a: 1 }])
    assert.deepEqual(
      ['content-length', 'etag', 'link', 'retry-after', 'x-total-count', 'x-powered-by', 'x-auth-mode'].map(name => headers.get(name)),
      ['7', 'W/"5"', '</api/gigs?offset=20>; rel="next"', '7', '41', null, 'plain'],
    )
    assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
    assert.match(headers.get('traceparent') ?? '', /^00-/)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  })

  it('lets a service answer 304 to a known ETag', async () => {
    harness.upstream.answer = (seen, response) => {
      if (seen.headers['if-none-match'] === 'W/"5"') response.writeHead(304, { etag: 'W/"5"' }).end()
      else json(response, 200, { a: 1 }, { etag: 'W/"5"' })
    }

    assert.equal((await harness.call('GET', '/api/gigs')).status, 200)
    const again = await harness.call('GET', '/api/gigs', { headers: { 'if-none-match': 'W/"5"' } })

    assert.deepEqual([again.status, again.body, again.headers.get('etag')], [304, '', 'W/"5"'])
  })

  it('hands bodies on byte by byte, with and without a length', async () => {
    const body = Buffer.from(JSON.stringify({ text: randomBytes(50_000).toString('base64').slice(0, 60_000) }))

    await harness.call('POST', '/api/register-agent', { raw: body })
    const counted = harness.upstream.seen.at(-1)!
    await chunked(harness.url, [body.subarray(0, 30_000), body.subarray(30_000)])
    const streamed = harness.upstream.seen.at(-1)!

    assert.deepEqual([counted.body.equals(body), streamed.body.equals(body)], [true, true])
    assert.equal(streamed.headers['content-length'], String(body.length))
  })

  it('refuses a body without a length once it is too big', async () => {
    const before = harness.upstream.seen.length
    const status = await chunked(
      harness.url,
      Array.from({ length: 5 }, () => Buffer.alloc(30_000, 'x')),
    )

    assert.equal(status, 413)
    assert.equal(harness.upstream.seen.length, before)
  })

  it('streams large answers whole, also to a slow reader', async () => {
    const large = randomBytes(8 * 1024 * 1024)
    harness.upstream.answer = (_seen, response) => response.writeHead(200, { 'content-type': 'image/png', 'content-length': large.length }).end(large)

    const response = await fetch(`${harness.url}/api/gigs`)
    const hash = createHash('sha256')
    for await (const chunk of response.body!) {
      hash.update(chunk)
      if (Math.random() < 0.02) await new Promise(resolve => setTimeout(resolve, 2))
    }

    assert.equal(hash.digest('hex'), createHash('sha256').update(large).digest('hex'))
  })

  describe('of an answer without an end', () => {
    const path = '/api/agents/0190a5d0-0000-7000-8000-000000000001/notifications/stream'
    const events = { 'content-type': 'text/event-stream' }

    it('hands every part on immediately, with the place where the reader left off and nothing else of the client', async () => {
      let more: (text: string) => void = () => {}
      let left = false
      harness.upstream.answer = (_seen, response) => {
        response.writeHead(200, events).write(': open\n\n')
        response.on('close', () => {
          left = true
        })
        more = text => void response.write(text)
      }
      const reader = new AbortController()
      const answer = await fetch(harness.url + path, {
        headers: { 'last-event-id': '7', cookie: 'a=b', [contextHeader]: 'forged' },
        signal: reader.signal,
      })
      const parts = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
      const { headers, context } = harness.upstream.seen.at(-1)!

      assert.equal((await parts.read()).value, ': open\n\n')
      more('data: 1\n\n')
      assert.equal((await parts.read()).value, 'data: 1\n\n')
      assert.deepEqual([headers['last-event-id'], headers.cookie, context?.mode], ['7', undefined, 'plain'])
      assert.deepEqual([answer.headers.get('x-auth-mode'), answer.headers.get('content-type')], ['plain', 'text/event-stream'])

      reader.abort()
      await until('the service is notified that the reader has left', () => left)
    })

    it('answers 504 without a head in time and lets the service go, 503 when nothing listens', async () => {
      let left = false
      harness.upstream.answer = (_seen, response) => {
        response.on('close', () => {
          left = true
        })
      }
      assert.deepEqual((await harness.call('GET', path)).body.code, 'TIMEOUT')
      await until('the service sees that nobody waits for its head', () => left)
      faults.cut()
      assert.deepEqual((await harness.call('GET', path)).body.code, 'DEPENDENCY_UNAVAILABLE')
    })
  })

  it('answers 504 to a service that does not, and says that it may be tried again', async () => {
    harness.upstream.answer = () => {}
    const { status, body, headers } = await harness.call('GET', '/api/gigs')

    assert.deepEqual([status, body.code, body.retryable], [504, 'TIMEOUT', true])
    assert.ok(Number(headers.get('retry-after')) > 0)
  })

  it('answers 503 when nothing listens, and works again when it does', async () => {
    faults.cut()
    const down = await harness.call('POST', '/api/register-agent', { body: {} })
    faults.pass()

    assert.deepEqual([down.status, down.body.code, down.body.retryable], [503, 'DEPENDENCY_UNAVAILABLE', true])
    assert.equal((await harness.call('POST', '/api/register-agent', { body: {} })).status, 200)
  })

  it('sends a GET again when its connection breaks, a write of no key never', async () => {
    const tries = { GET: 0, POST: 0 }
    harness.upstream.answer = (seen, response) => {
      tries[seen.method as 'GET'] += 1
      if (tries[seen.method as 'GET'] === 1) response.socket?.resetAndDestroy()
      else json(response, 200, {})
    }

    const get = await harness.call('GET', '/api/gigs')
    const post = await harness.call('POST', '/api/register-agent', { body: {} })

    assert.deepEqual([get.status, tries.GET], [200, 2])
    assert.deepEqual([post.status, post.body.code, tries.POST], [503, 'DEPENDENCY_UNAVAILABLE', 1])
  })

  it('sends a write again that happens once however often it is sent', async () => {
    const once = { 'idempotency-key': 'once' }
    const checks = { '/api/credentials/verify': {}, '/facilitator/verify': {}, '/api/domains/check': {}, '/api/domains/check-all': {} }
    const writes = { '/api/agent-heartbeat': {}, '/api/gigs': once, ...checks }
    const agent = harness.agent()
    const tries: Record<string, number> = {}
    harness.upstream.answer = ({ url: path }, response) => {
      tries[path] = (tries[path] ?? 0) + 1
      if (tries[path] === 1) response.socket?.resetAndDestroy()
      else json(response, 200, {})
    }
    for (const [path, headers] of Object.entries(writes)) {
      const own = { 'x-agent-id': agent.agentId, 'x-wallet-address': agent.wallet, ...headers }
      assert.equal((await harness.call('POST', path, { body: {}, headers: own })).status, 200)
      assert.equal(tries[path], 2)
    }
  })

  it('abandons a GET when its time is over', async () => {
    let tries = 0
    harness.upstream.answer = (_seen, response) => {
      tries += 1
      response.socket?.resetAndDestroy()
    }
    assert.equal((await harness.call('GET', '/api/gigs')).status, 503)
    assert.ok(tries > 2)
  })

  it('cuts an answer that breaks off, so that no client accepts a part as the whole', async () => {
    harness.upstream.answer = (_seen, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
      response.write('{"half":')
      setTimeout(() => response.destroy(), 20)
    }
    await assert.rejects(harness.call('GET', '/api/gigs'))
  })

  it('carries on through a slow line', async () => {
    faults.delay(30)
    assert.equal((await harness.call('POST', '/api/register-agent', { body: { a: 1 } })).status, 200)
  })

  it('ends the call to the service when the client goes away', async () => {
    let closed = false
    harness.upstream.answer = (_seen, response) => {
      response.on('close', () => {
        closed = true
      })
    }
    const stop = new AbortController()
    const going = fetch(`${harness.url}/api/gigs`, { signal: stop.signal }).catch(() => {})
    const before = harness.upstream.seen.length
    await until('the service has it', () => harness.upstream.seen.length > before)
    stop.abort()
    await going

    await until('the service sees the end', () => closed)
  })
})

/** A POST in chunks, without a length. Resolves to the status. */
function chunked(url: string, parts: Buffer[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(`${url}/api/register-agent`, { method: 'POST', headers: { 'content-type': 'application/json' } }, response => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    call.on('error', reject)
    for (const part of parts) call.write(part)
    call.end()
  })
}
