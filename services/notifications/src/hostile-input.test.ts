import assert from 'node:assert/strict'
import { errors } from '@carapace/api'
import { startPlatform, type TestPlatform } from '@carapace/testing'
import fc from 'fast-check'
import { notifications } from './index.ts'
import { identityStub, socialStub } from './testing/identity.ts'

const requests = 10_000
const agentId = '0190a5d0-0000-7000-8000-000000000001'

describe('hostile input', () => {
  let platform: TestPlatform

  before(async () => {
    platform = await startPlatform([identityStub, socialStub, notifications])
  })
  after(() => platform.close())

  const path = fc.oneof(
    fc.constant(`/api/agents/${agentId}/notifications`),
    fc.constant(`/api/agents/${agentId}/unread-count`),
    fc.string({ maxLength: 80 }).map(id => `/api/agents/${encodeURIComponent(id)}/notifications`),
    fc.webPath().map(tail => `/api/agents/${agentId}${tail}`),
    fc.constantFrom('', '/rotate-secret', '/test', '/deliveries', '/deliveries/none/replay').map(tail => `/api/agents/${agentId}/webhook${tail}`),
  )
  const query = fc.oneof(
    fc.constant(''),
    fc.webQueryParameters().map(text => `?${text}`),
    fc
      .record({ limit: fc.string({ maxLength: 12 }), offset: fc.string({ maxLength: 12 }), unreadOnly: fc.string({ maxLength: 6 }) })
      .map(fields => `?${new URLSearchParams(fields)}`),
  )
  // none that exists: what is accepted is delivered to
  const address = fc.constantFrom(
    'https://a.invalid/',
    'https://a.invalid:0/',
    'http://127.0.0.1/',
    'https://[::1]/',
    'https://u:p@a.invalid/',
    'https://0/',
  )
  const body = fc.oneof(
    fc.constant(undefined),
    fc.json({ maxDepth: 5 }),
    fc.string({ maxLength: 200 }),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.record({ read: fc.jsonValue(), notificationIds: fc.jsonValue() }).map(value => JSON.stringify(value)),
    fc.record({ webhookUrl: fc.oneof(fc.jsonValue(), address), types: fc.jsonValue() }).map(value => JSON.stringify(value)),
    fc.constantFrom(
      '{"a": ',
      '[1,2]',
      'null',
      '{"__proto__": {"read": true}}',
      `${'['.repeat(3000)}`,
      `{"read": true, "x": "${'y'.repeat(110_000)}"}`,
    ),
  )
  const type = fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', 'application/json; charset=klingon', '')
  const identity = fc.constantFrom({}, { 'x-agent-id': agentId, 'x-wallet-address': '0x1' }, { 'x-agent-id': '$ne', 'idempotency-key': 'k' })
  const request = fc.record({ method: fc.constantFrom('GET', 'PATCH', 'PATCH', 'PUT', 'POST', 'DELETE'), path, query, body, type, identity })

  it(`gets an answer below 500 and, for errors, the declared body, in ${requests.toLocaleString('en')} generated requests`, async function () {
    this.timeout(90_000)
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 50, maxLength: 50 }), async list => {
        await Promise.all(
          list.map(async ({ method, path, query, body, type, identity }) => {
            const bodied = method !== 'GET' && body !== undefined
            const response = await fetch(platform.url + path + query, {
              method,
              headers: { ...identity, ...(bodied && type ? { 'content-type': type } : {}) } as Record<string, string>,
              ...(bodied ? { body } : {}),
            })
            const text = await response.text()
            assert.ok(response.status < 500, `${method} ${path}${query} → ${response.status} ${text}`)
            if (response.status < 400) return
            const answer = JSON.parse(text)
            assert.ok(Object.hasOwn(errors, answer.code), text)
            assert.equal(answer.status, response.status)
            assert.equal(typeof answer.message, 'string')
          }),
        )
      }),
      { numRuns: requests / 50 },
    )
  })
})
