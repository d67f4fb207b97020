import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { TrustReceipt } from '@carapace/api'
import { onChainKey } from '@carapace/chain'
import { type Answer, httpCall } from '@carapace/testing'
import { startGateway } from '../start.ts'
import { devnets } from '../testing/devnets.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { makeReceipt } from '../testing/receipt.ts'

const nasty = `<script>alert(1)</script> "quoted" & 'single' \u0007 日本`

describe('pages and documents', () => {
  let harness: Harness
  let receipt: TrustReceipt
  before(async () => {
    harness = await startHarness()
    receipt = makeReceipt()
    harness.upstream.receipts.set(receipt.id, receipt)
    harness.upstream.receipts.set(receipt.gigId, receipt)
  })
  after(() => harness.close())
  const get = (path: string, headers = {}) => harness.call('GET', path, { headers })

  it('show a receipt by its id and by its gig, with what link previews read', async () => {
    const [byId, byGig] = await Promise.all([get(`/trust-receipt/${receipt.id}`), get(`/trust-receipt/${receipt.gigId}`)])

    assert.equal(byId.status, 200)
    assert.match(byId.headers.get('content-type') ?? '', /^text\/html/)
    assert.equal(byId.body, byGig.body)
    for (const text of ['12.50 USDC', '12.1875 USDC', 'poster-one', '66.7 % of 3 validators', receipt.contentHash])
      assert.ok(byId.body.includes(text), text)
    assert.ok(byId.body.includes(`<meta property="og:image" content="${harness.url}/trust-receipt/${receipt.id}.png">`))
    assert.match(byId.body, /<meta property="og:description" content="12\.1875 USDC paid to/)
  })

  it('escape what users wrote, in text, attributes and links', async () => {
    const evil = makeReceipt({
      gigTitle: nasty,
      poster: { handle: nasty, wallet: null, fusedScore: 1 },
      deliverableUrl: 'javascript:alert(1)',
      basescanUrl: null,
    })
    harness.upstream.receipts.set(evil.id, evil)

    const { status, body, headers } = await get(`/trust-receipt/${evil.id}`)

    assert.equal(status, 200)
    // no script but the site's own
    assert.doesNotMatch(body, /<script(?! type="module" src="\/assets\/[\w-]+\/main\.js"><\/script>)|alert\(1\)"|href="javascript/)
    assert.ok(body.includes('&lt;script&gt;alert(1)&lt;/script&gt; &quot;quoted&quot; &amp; &#39;single&#39;'))
    assert.match(headers.get('content-security-policy') ?? '', /script-src 'self'/)
    assert.equal((await get(`/trust-receipt/${evil.id}.png`)).status, 200)
  })

  it('draw a receipt as a PNG of 1200 by 630', async () => {
    const response = await fetch(`${harness.url}/trust-receipt/${receipt.id}.png`)
    const png = Buffer.from(await response.arrayBuffer())

    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/png'])
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1200, 630])
    const again = await fetch(`${harness.url}/trust-receipt/${receipt.id}.png`, { headers: { 'if-none-match': response.headers.get('etag')! } })
    assert.equal(again.status, 304)
  })

  it('say that there is no receipt: a page to people, the error body for pictures', async () => {
    const page = await get(`/trust-receipt/${randomUUID()}`)
    const picture = await get(`/trust-receipt/${randomUUID()}.png`)

    assert.equal(page.status, 404)
    assert.match(page.body, /There is no such receipt/)
    assert.deepEqual([picture.status, picture.body.code], [404, 'NOT_FOUND'])
  })

  it('sell what is priced, and answer any other name with 400', async () => {
    const pay = (endpoint: string) => harness.call('POST', '/api/x402/pay', { body: { endpoint } })
    const sold = await pay(`/api/trust-receipts/${receipt.id}`)

    assert.deepEqual([sold.status, harness.upstream.seen.at(-1)?.url], [200, `/api/trust-receipts/${receipt.id}`])
    for (const endpoint of ['//', '//x:y', '/\\\\', `//elsewhere.example/api/trust-receipts/${receipt.id}`, '/api/gigs', '/%', '/?', '/#']) {
      const { status, body } = await pay(endpoint)
      assert.deepEqual([status, body.code], [400, 'NOT_PRICED'], endpoint)
    }
  })

  it('need no other site: every script, style and picture comes from here', async () => {
    for (const path of ['/', '/docs', '/docs/identity', `/trust-receipt/${receipt.id}`]) {
      const { body, status } = await get(path)
      assert.equal(status, 200, path)
      const loaded = [...body.matchAll(/<(?:script|link|img)[^>]*(?:src|href)="([^"]+)"/g)]
        .map(match => match[1]!)
        .filter(url => !url.startsWith(harness.url))
      for (const url of loaded) {
        assert.match(url, /^\//, `${path} loads ${url}`)
        assert.equal((await get(url)).status, 200, url)
      }
    }
  })

  it('forbid inline code, frames and text as markup, and let the browser read the networks', async () => {
    const policy = (await get('/')).headers.get('content-security-policy') ?? ''

    for (const rule of ["style-src 'self';", "script-src 'self';", "frame-ancestors 'none'", "require-trusted-types-for 'script'"])
      assert.ok(policy.includes(rule), rule)
    assert.ok(policy.includes(`connect-src 'self' ${devnets.map(({ rpcUrl }) => rpcUrl).join(' ')}`), policy)
  })

  it('have addresses of their files that change with the content, and are not read again', async () => {
    const { body, headers } = await get('/')
    const style = await get(styleIn(body))

    assert.match(style.headers.get('cache-control') ?? '', /immutable/)
    assert.equal((await get('/', { 'if-none-match': headers.get('etag') })).status, 304)
  })

  it('filter nothing by values that are none, and say in words what cannot be shown', async () => {
    for (const path of [
      '/agents?minScore=many&tier=<b>&offset=-1',
      '/gigs?status=nope&offset=1e9',
      '/jobs?chain=',
      '/domains?tld=.com',
      `/search?q=${'a'.repeat(300)}`,
    ]) {
      const { status, headers } = await get(path)
      assert.ok(status < 500 && status !== 400, `${path} ${status}`)
      assert.match(headers.get('content-type') ?? 'text/html', /text\/html/)
    }
    const missing = await get('/gigs/no-such-gig')
    assert.deepEqual([missing.status, /There is no such gig/.test(missing.body)], [404, true])
  })

  it('lead from a transaction to its record, to the agents in it and to the explorer of its network', async () => {
    const [poster, worker] = [harness.agent(), harness.agent()]
    const gigId = randomUUID()
    const hash = `0x${'5e'.repeat(32)}`
    const log = { contract: 'Escrow', address: `0x${'1'.repeat(40)}`, logIndex: 0 }
    const args = { key: onChainKey(gigId), poster: poster.wallet, payee: worker.wallet, amount: '40000000' }
    const block = { blockNumber: 7, blockHash: hash, blockTime: 1_796_000_000, confirmations: 9, final: true }
    const head = { hash, from: poster.wallet, to: log.address, value: '0', input: '0x', success: true }
    harness.upstream.transactions.set(hash, { ...head, ...block, logs: [{ ...log, event: 'EscrowLocked', args }] })
    harness.upstream.gigs.set(gigId, { id: gigId, title: 'Audit a vault' })
    harness.upstream.networks = devnets.map(network => ({ ...network, explorerUrl: 'https://explorer.example' }))
    const explored = await startGateway({ ...harness.options, networks: harness.upstream.networks })
    try {
      const { status, body } = await httpCall(explored.url, 'GET', `/tx/BASE_SEPOLIA/${hash}`)

      assert.equal(status, 200)
      assert.ok(body.includes(`<h1>${poster.handle} locked 40.00 USDC in escrow for ${worker.handle}</h1>`), body)
      for (const link of [`/gigs/${gigId}`, `/agents/${worker.handle}`, `https://explorer.example/tx/${hash}`])
        assert.ok(body.includes(`href="${link}"`), link)
    } finally {
      await explored.close()
      harness.upstream.networks = devnets
    }
  })

  it('are listed for crawlers and language models', async () => {
    for (const [path, text] of [
      ['/sitemap.xml', '<loc>'],
      ['/robots.txt', 'Sitemap: '],
      ['/llms.txt', '/docs/identity'],
      ['/manifest.webmanifest', 'Carapace'],
      ['/favicon.svg', '<svg'],
      ['/favicon.ico', '<svg'],
    ] as const) {
      const answer = await fetch(harness.url + path)
      assert.equal(answer.status, 200, path)
      assert.ok((await answer.text()).includes(text), path)
    }
  })

  it('describe the whole interface', async () => {
    const [open, async_] = await Promise.all([get('/openapi.json'), get('/asyncapi.json')])

    assert.match(open.body.openapi, /^3\.1/)
    assert.ok(Object.keys(open.body.paths).length > 100)
    assert.match(async_.body.asyncapi, /^3\./)
    assert.equal((await get('/openapi.json', { 'if-none-match': open.headers.get('etag') })).status, 304)
  })

  it('report health, readiness and metrics, the last to this machine only', async () => {
    assert.deepEqual((await get('/healthz')).body, { status: 'ok' })
    const checks = { mongodb: true, bus: true, BASE_SEPOLIA: true, SKALE_TESTNET: true }
    assert.deepEqual((await get('/readyz')).body, { status: 'ready', checks, degraded: [] })
    const metrics = await get('/metrics')
    assert.equal(metrics.status, 200)
    assert.match(metrics.body, /http_server_request_duration_seconds_bucket/)
    const far: Answer = await get('/metrics', { 'x-forwarded-for': '8.8.8.8' })
    assert.deepEqual([far.status, far.body.code], [404, 'ROUTE_NOT_FOUND'])
    assert.equal((await harness.call('POST', '/healthz')).status, 405)
  })

  it('report metrics to no page whose name was pointed at this machine', async () => {
    const statusUnder = (host: string) =>
      new Promise(resolve => request(`${harness.url}/metrics`, { headers: { host } }, ({ statusCode }) => resolve(statusCode)).end())

    assert.deepEqual([await statusUnder('localhost:1'), await statusUnder('rebound.example')], [200, 404])
  })

  it('are stored for a second, as any read of the interface, and receipts for a minute', async () => {
    for (const [path, control] of [
      ['/start', 'public, max-age=1'],
      [`/trust-receipt/${receipt.id}`, 'public, max-age=60'],
    ] as const)
      assert.equal((await get(path)).headers.get('cache-control'), control, path)
  })

  it('are compressed for clients that accept it', async () => {
    const script = styleIn((await get('/')).body)
    const whole = Buffer.from(await (await fetch(harness.url + script, { headers: { 'accept-encoding': 'identity' } })).arrayBuffer())
    for (const [encoding, unpack] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const)
      for (let i = 0; i < 2; i++) {
        const { headers, bytes } = await raw(harness.url + script, encoding)
        assert.deepEqual([headers['content-encoding'], headers.vary], [encoding, 'accept-encoding'])
        assert.ok(bytes.length < whole.length / 2)
        assert.ok(unpack(bytes).equals(whole))
      }
    assert.equal((await raw(`${harness.url}/healthz`, 'gzip')).headers['content-encoding'], undefined)
    const cached = await raw(harness.url + script, 'gzip', { 'if-none-match': (await raw(harness.url + script, 'identity')).headers.etag! })
    assert.equal(cached.status, 304)
  })
})

/** The address of the style sheet that a page loads. */
const styleIn = (page: string): string => /href="(\/assets\/[^"]+\.css)"/.exec(page)![1]!

/** An answer as it came over the line. */
async function raw(url: string, encoding: string, headers: Record<string, string> = {}) {
  const response = await new Promise<IncomingMessage>(resolve =>
    request(url, { headers: { 'accept-encoding': encoding, ...headers } }, resolve).end(),
  )
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }
}
