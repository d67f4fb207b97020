import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { errors } from '@carapace/api'
import fc from 'fast-check'
import { type Harness, startHarness } from './testing/harness.ts'

const requests = 5_000
const batch = 25

describe('hostile input', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness({ ADMIN_WALLETS: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' })
  })
  after(() => harness.close())

  const printable = fc.string({ maxLength: 40 }).map(text => text.replace(/[^\x21-\x7e]/g, '~'))
  const path = fc
    .oneof(
      fc.constantFrom(
        '/',
        '/api/gigs',
        '/api/agents',
        '/api/register-agent',
        '/api/networks',
        '/api/admin/dead-letters',
        '/trust-receipt/x',
        '/docs',
        '//',
        '/api//gigs',
      ),
      fc.constantFrom(
        '/api/gigs/%zz',
        '/api/gigs/%00',
        '/api/gigs/..%2f..%2finternal',
        '/api/../internal/v1/snapshots',
        '/internal/v1/agents/1',
        '*',
        'http://[::1',
      ),
      fc.webPath(),
      fc.array(printable, { maxLength: 5 }).map(parts => `/api/${parts.map(encodeURIComponent).join('/')}`),
      printable.map(text => `/api/agents/${text}`),
      fc.constant(`/api/gigs/${'a'.repeat(5_000)}`),
    )
    // without a slash it is no HTTP, which order.test.ts covers
    .map(text => (text.startsWith('/') || text === '*' || text.startsWith('http') ? text : `/${text}`))
  const value = fc.oneof(
    fc.constantFrom(
      '',
      ' ',
      '0x',
      '$ne',
      '__proto__',
      '[object Object]',
      '🦀',
      '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
      '01a1fdcb-f89b-72fb-92a9-639d83ab58b8',
      '-1',
      'a'.repeat(300),
    ),
    fc.string({ maxLength: 60 }),
  )
  const names =
    'x-agent-id x-wallet-address x-admin-wallet x-admin-key idempotency-key signature-input signature content-digest prefer accept if-none-match traceparent origin host x-payment payment-signature content-type content-encoding access-control-request-method forwarded x-forwarded-for x-carapace-context expect'.split(
      ' ',
    )
  const headers = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 })
  const signature = fc.record({
    'signature-input': fc.oneof(
      fc.constant(
        'eth=("@authority" "@method" "@path");created=1;expires=2;nonce="12345678";keyid="erc8128:84532:0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"',
      ),
      value,
    ),
    signature: fc.oneof(fc.constant(`eth=:${'A'.repeat(86)}==:`), value),
  })
  const body = fc.oneof(fc.constant(undefined), fc.json({ maxDepth: 3 }), fc.string({ maxLength: 100 }), fc.constant('x'.repeat(110_000)))
  const request = fc.record({
    method: fc.constantFrom('GET', 'GET', 'POST', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'),
    path,
    query: fc.oneof(
      fc.constant(''),
      fc.webQueryParameters().map(text => `?${text}`),
    ),
    headers: fc.oneof(
      headers,
      fc.tuple(headers, signature).map(([one, two]) => ({ ...one, ...two })),
    ),
    body,
  })

  it(`never breaks the gateway, and errors have the declared body, in ${requests.toLocaleString('en')} generated requests`, async function () {
    this.timeout(90_000)
    const seed = Date.now() % 2 ** 31
    const list = fc.sample(request, { numRuns: requests, seed })
    for (let at = 0; at < list.length; at += batch) {
      await Promise.all(
        list.slice(at, at + batch).map(async (one, i) => {
          const { status, text, type } = await raw(harness.url, one)
          const context = `seed ${seed}, number ${at + i}: ${JSON.stringify(one).slice(0, 400)} → ${status} ${text.slice(0, 200)}`
          assert.ok(status < 500, context)
          assert.ok(type !== undefined || status === 304, context)
          if (status < 400 || one.method === 'HEAD' || type?.startsWith('text/html')) return
          const error = JSON.parse(text)
          assert.ok(Object.hasOwn(errors, error.code), context)
          assert.deepEqual([error.status, typeof error.message], [status, 'string'], context)
        }),
      )
    }
    assert.equal((await harness.call('GET', '/readyz')).status, 200)
  })
})

/** By plain node, which sends what fetch would not. */
function raw(
  url: string,
  { method, path, query, headers, body }: { method: string; path: string; query: string; headers: Record<string, string>; body: string | undefined },
): Promise<{ status: number; text: string; type: string | undefined }> {
  const { hostname, port } = new URL(url)
  const sendable = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Buffer.from(value)
        .toString('latin1')
        .replace(/[^\x20-\x7e\x80-\xff]/g, '?'),
    ]),
  )
  return new Promise((resolve, reject) => {
    const call = httpRequest(
      {
        hostname,
        port,
        method,
        path: (path + query).replace(/[^\x21-\xff]/g, '~') || '/',
        headers: { 'content-type': 'application/json', ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }), ...sendable },
        timeout: 20_000,
      },
      response => {
        const chunks: Buffer[] = []
        response.on('data', chunk => chunks.push(chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString(), type: response.headers['content-type'] }),
        )
        response.on('error', reject)
      },
    )
    call.on('error', error =>
      reject(new Error(`${method} ${path.slice(0, 60)} ${JSON.stringify(sendable)} ${String(body).slice(0, 60)}: ${error.message}`)),
    )
    call.on('timeout', () => call.destroy(new Error('no answer')))
    call.end(body)
  })
}
