import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { limits } from '@carapace/api'
import { type Started, startThings } from '../testing/start-things.fixture.ts'
import { agent, signed } from '../testing/things.fixture.ts'

const json = { 'content-type': 'application/json' }
const title = { title: 'a' }
const huge = 'x'.repeat(limits.body.bytes)
const nested = (depth: number) => `${'{"more":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`

describe('what a service checks before its handler', () => {
  let service: Started

  before(async () => {
    service = await startThings()
  })
  after(() => service.close())

  const outcome = async (...call: Parameters<Started['call']>) => {
    const { status, body } = await service.call(...call)
    return [status, body?.code]
  }

  describe('happens in this order, and the first failure answers', () => {
    // each request has the fault of its row and those of all rows below it
    const own = '/api/agents/somebody-else/things'
    const rows: [what: string, status: number, code: string, method: string, path: string, headers: object, body: string][] = [
      ['no such route', 404, 'ROUTE_NOT_FOUND', 'POST', '/api/nothing', { 'content-type': 'text/plain' }, huge],
      ['no such method', 405, 'METHOD_NOT_ALLOWED', 'PUT', own, { 'content-type': 'text/plain' }, huge],
      ['size', 413, 'PAYLOAD_TOO_LARGE', 'POST', own, { 'content-type': 'text/plain' }, `${huge}x`],
      ['media type', 415, 'UNSUPPORTED_MEDIA_TYPE', 'POST', own, { 'content-type': 'text/plain' }, '{"title": '],
      ['identity', 401, 'AUTH_REQUIRED', 'POST', own, json, '{"title": '],
      ['caller = path', 403, 'FORBIDDEN', 'POST', own, { ...json, ...signed() }, '{"title": '],
      ['JSON', 400, 'MALFORMED_JSON', 'POST', `/api/agents/${agent.agentId}/things`, { ...json, ...signed() }, '{"title": '],
      ['form', 400, 'VALIDATION_ERROR', 'POST', `/api/agents/${agent.agentId}/things`, { ...json, ...signed() }, '{"title": ""}'],
      ['actor', 403, 'FORBIDDEN', 'POST', '/api/things', { ...json, ...signed() }, '{"title": "refused", "authorId": "other"}'],
      ['the rule', 403, 'NOT_POSTER', 'POST', '/api/things', { ...json, ...signed() }, '{"title": "refused"}'],
    ]

    for (const [what, status, code, method, path, headers, body] of rows)
      it(`${what}: ${status} ${code}`, async () => {
        assert.deepEqual(await outcome(method, path, { headers: headers as Record<string, string>, body }), [status, code])
      })
  })

  it('reports with 405 what the path allows', async () => {
    const { headers, body } = await service.call('DELETE', '/api/things/x')

    assert.equal(headers.get('allow'), 'GET, HEAD')
    assert.deepEqual(body.details, { allow: ['GET', 'HEAD'] })
  })

  it('refuses a path that cannot be decoded', async () => {
    assert.deepEqual(await outcome('GET', '/api/things/%E0%A4%A'), [400, 'VALIDATION_ERROR'])
  })

  it('refuses a body that grows beyond the limit on its way, without its end being waited for', async () => {
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest(`${service.url}/api/things`, { method: 'POST', headers: { ...json, ...signed() } }, response =>
        resolve(response.statusCode),
      )
      request.on('error', reject)
      request.write(Buffer.alloc(limits.body.bytes + 1, 'x'))
    })

    assert.equal(status, 413)
  })

  it('outlives a caller who hangs up in the middle of a body', async () => {
    const headers = { ...json, ...signed(), 'content-length': '100', expect: '100-continue' }
    const request = httpRequest(`${service.url}/api/things`, { method: 'POST', headers })
    request.on('error', () => {})
    request.flushHeaders()
    await once(request, 'continue')
    await new Promise(resolve => request.write('{"title"', resolve))
    request.destroy()

    assert.equal((await service.post('/api/things', title)).status, 201)
  })

  const bodies: [what: string, body: string | Buffer, headers: Record<string, string>, status: number, code?: string][] = [
    ['none for a body that is wanted', '', {}, 400, 'VALIDATION_ERROR'],
    ['without a type', '{"title":"a"}', {}, 201],
    ['JSON', '{"title":"a"}', json, 201],
    ['JSON with charset', '{"title":"a"}', { 'content-type': 'application/json; charset="UTF-8"' }, 201],
    ['a dialect of JSON', '{"title":"a"}', { 'content-type': 'application/ld+json' }, 201],
    ['a byte order mark', '\ufeff{"title":"a"}', json, 400, 'MALFORMED_JSON'],
    ['another charset', '{"title":"a"}', { 'content-type': 'application/json; charset=utf-16' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['another type', '{"title":"a"}', { 'content-type': 'application/jsonp' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a compressed one', '{"title":"a"}', { ...json, 'content-encoding': 'gzip' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), json, 400, 'MALFORMED_JSON'],
    ['a list', '[]', json, 400, 'MALFORMED_JSON'],
    ['null', 'null', json, 400, 'MALFORMED_JSON'],
    ['a number', '1', json, 400, 'MALFORMED_JSON'],
    ['the deepest that is allowed', `{"title":"a","more":${nested(limits.body.depth - 1)}}`, json, 201],
    ['one level more', `{"title":"a","more":${nested(limits.body.depth)}}`, json, 400, 'MALFORMED_JSON'],
    ['3,000 levels', '['.repeat(3000) + ']'.repeat(3000), json, 400, 'MALFORMED_JSON'],
    ['a NUL in a value', '{"title":"a","more":["\\u0000"]}', json, 400, 'VALIDATION_ERROR'],
    ['a control character in a key', '{"title":"a","more":{"\\u0007":1}}', json, 400, 'VALIDATION_ERROR'],
    ['tab and newline', '{"title":"a","more":"\\t\\n"}', json, 201],
    ['a prototype', '{"title":"a","__proto__":{"authorId":"other"},"more":{"__proto__":1}}', json, 201],
    ['the largest that is allowed', `{"title":"a","more":"${'x'.repeat(limits.body.bytes - 23)}"}`, json, 201],
  ]
  for (const [what, body, headers, status, code] of bodies)
    it(`answers ${status} to a body: ${what}`, async () => {
      assert.deepEqual(await outcome('POST', '/api/things', { body, headers: { ...headers, ...signed() } }), [status, code])
    })

  it('uses the last of a query key that comes twice, and refuses what is not of the form', async () => {
    assert.equal((await service.call('GET', '/api/things/x?view=full&view=brief')).body.view, 'brief')
    const { status, body } = await service.call('GET', '/api/things/x?view=other')
    assert.deepEqual([status, body.errors[0].path], [400, 'view'])
  })

  it('lets only services into internal routes', async () => {
    for (const headers of [{}, signed(), signed({ mode: 'internal' }, 'x'.repeat(32)), signed({ mode: 'internal', expires: 1 })])
      assert.deepEqual(await outcome('GET', '/internal/v1/things/x', { headers }), [401, 'AUTH_REQUIRED'])
    assert.equal((await service.call('GET', '/internal/v1/things/x', { headers: signed({ mode: 'internal' }) })).status, 200)
  })
})
