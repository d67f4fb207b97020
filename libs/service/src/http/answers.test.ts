import assert from 'node:assert/strict'
import { type Started, startThings } from '../testing/start-things.fixture.ts'
import { signed } from '../testing/things.fixture.ts'

describe('the answers of a service', () => {
  let service: Started

  before(async () => {
    service = await startThings()
  })
  after(() => service.close())

  it('to a write say success next to what the handler says', async () => {
    const { status, body, headers } = await service.post('/api/things', { title: 'a' })

    assert.deepEqual([status, body.success, body.title], [201, true, 'a'])
    assert.equal(headers.get('x-request-id'), 'request-1')
  })

  it('that are refusals have the body of the table, with the details of the rule', async () => {
    const { status, body, headers } = await service.post('/api/things', { title: 'refused' })

    assert.deepEqual(body, {
      message: 'Only its poster may',
      code: 'NOT_POSTER',
      status,
      requestId: 'request-1',
      details: { poster: 'somebody else' },
    })
    assert.equal(headers.get('cache-control'), 'private, no-store')
    assert.equal(headers.get('x-request-id'), 'request-1')
  })

  it('that may differ later say so, and when', async () => {
    const full = await service.post('/api/things', { title: 'full' })
    const tired = await service.post('/api/things', { title: 'tired' })

    assert.deepEqual([full.status, full.body.retryable], [409, true])
    assert.deepEqual([tired.status, tired.headers.get('retry-after')], [429, '7'])
  })

  it('name every faulty field', async () => {
    const { body } = await service.post('/api/things', { title: '', authorId: 5 })

    assert.deepEqual(
      body.errors.map((error: { path: string }) => error.path),
      ['title', 'authorId'],
    )
    assert.match(body.message, /^title: must not be empty/)
  })

  it('about a payment nonce used before have the form of the spec', async () => {
    const { body } = await service.post('/api/things', { title: 'replayed' })

    assert.deepEqual(Object.keys(body).sort(), ['code', 'error', 'requestId', 'status'])
  })

  it('to accidents reveal nothing of their reason', async () => {
    for (const title of ['broken', 'odd']) {
      const { status, body, text } = await service.post('/api/things', { title })
      assert.deepEqual([status, body.code], [500, 'INTERNAL_ERROR'])
      assert.doesNotMatch(text, /reason inside|BigInt/)
    }
  })

  it('are problem+json for those who request it', async () => {
    const headers = { ...signed(), accept: 'application/problem+json' }
    const { status, body, headers: sent } = await service.post('/api/things', { title: 'refused' }, headers)

    assert.match(sent.get('content-type') ?? '', /^application\/problem\+json/)
    assert.deepEqual(
      [body.type, body.title, body.detail, body.instance, body.status],
      ['urn:carapace:error:NOT_POSTER', 'NOT_POSTER', 'Only its poster may', '/api/things', status],
    )
  })

  it('to a repeated read are 304 by its tag, alone, weak or in a list, or by *', async () => {
    const etag = (await service.call('GET', '/api/things/x')).headers.get('etag') ?? ''
    assert.match(etag, /^W\/"[^"]+"$/)

    for (const tag of [etag, etag.slice(2), `"other", ${etag}`, `W/"a" ,${etag}, "b"`, '*', ' * ']) {
      const { status, text, headers } = await service.call('GET', '/api/things/x', { headers: { 'if-none-match': tag } })
      assert.deepEqual([status, text, headers.get('etag')], [304, '', etag], tag)
    }
    for (const tag of ['"other"', '', 'W/', '"*"'])
      assert.equal((await service.call('GET', '/api/things/x', { headers: { 'if-none-match': tag } })).status, 200, tag)
    assert.equal((await service.call('GET', '/api/things/y', { headers: { 'if-none-match': etag } })).status, 200)
  })

  it('to HEAD have the headers of GET and no body', async () => {
    const get = await service.call('GET', '/api/things/x')
    const head = await service.call('HEAD', '/api/things/x')

    assert.deepEqual([head.status, head.text], [200, ''])
    for (const name of ['etag', 'content-length', 'content-type', 'cache-control']) assert.equal(head.headers.get(name), get.headers.get(name), name)
    assert.equal((await service.call('HEAD', '/api/nothing')).status, 404)
  })

  it('may be cached by others only where they do not depend on the caller', async () => {
    const open = await service.call('GET', '/api/things/x')
    const own = await service.call('GET', '/api/mine', { headers: signed() })
    const picture = await service.call('GET', '/api/things/x.png')

    assert.equal(open.headers.get('cache-control'), 'public, max-age=1')
    assert.deepEqual([own.headers.get('cache-control'), own.headers.get('vary')], ['private, no-store', 'x-agent-id, x-wallet-address'])
    assert.deepEqual([picture.headers.get('cache-control'), picture.headers.get('content-type')], ['public, max-age=300', 'image/png'])
    assert.ok(picture.headers.get('etag'))
  })

  it('that are bare lists report the total, and the next page as long as there is one', async () => {
    const first = await service.call('GET', '/api/things?limit=2&offset=0')
    const last = await service.call('GET', '/api/things?limit=2&offset=2')

    assert.deepEqual([first.body, first.headers.get('x-total-count')], [['a', 'b'], '3'])
    assert.equal(first.headers.get('link'), '</api/things?limit=2&offset=2>; rel="next"')
    assert.deepEqual([last.body, last.headers.get('x-total-count'), last.headers.get('link')], [['c'], '3', null])
    assert.equal(first.headers.get('x-next-offset'), null)
  })
})
