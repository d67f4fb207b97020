import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type AnyEndpoint, errors, identityApi } from '@carapace/api'
import fc from 'fast-check'
import { type Harness, startHarness, type TestAgent } from './testing/harness.ts'

const requests = 6_000
const together = 50

describe('hostile input', () => {
  let harness: Harness
  let folder: string
  let agent: TestAgent
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carapace-hostile-'))
    harness = await startHarness({ env: { DATA_DIR: folder } })
    agent = await harness.agent({ skills: ['rust'] })
  })
  after(async () => {
    await harness.close()
    await rm(folder, { recursive: true })
  })

  // a registration that succeeds would wait for networks that are not there
  const headers = { prefer: 'respond-async' }
  const endpoints = Object.values<AnyEndpoint>(identityApi.endpoints)
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom<unknown>(
      { $ne: null },
      '\u0000',
      'x'.repeat(20_001),
      -1,
      1e308,
      '0x',
      '../../etc/passwd',
      'https://user:pass@example.org',
      'BOTH',
      ['\ud800'],
      '__proto__',
    ),
  )
  const field = fc.constantFrom(
    ...['handle', 'walletAddress', 'description', 'skills', 'chain', 'agentId', 'skillName', 'answer', 'credential', 'sourceAgentId'],
    ...['evidence', 'targetAgentId', 'sourceSignature', 'status', 'currentTask', 'uses', 'suspended', 'reason', 'approve', 'githubHandle'],
    ...['repoUrl', 'portfolioUrl', 'skill', 'avatar', 'externalLink', 'requireSignature', 'registrationToken', 'proofUrl'],
  )
  const body = fc.oneof(
    fc.dictionary(field, value, { maxKeys: 6 }).map(fields => JSON.stringify(fields)),
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.constantFrom('{"a": ', '[]', 'null', '"text"', `{"skills": [${'"a",'.repeat(500)}"b"]}`),
  )
  const segment = fc.oneof(
    fc.constant('own'),
    fc.string({ minLength: 1, maxLength: 70 }).map(encodeURIComponent),
    fc.constantFrom('null', '..', '%00', '$ne', '0190a5d0-0000-7000-8000-000000000001', '99999999999999', 'BASE_SEPOLIA', 'a.molt', 'rust'),
  )
  const query = fc.oneof(
    fc.constant(''),
    fc.webQueryParameters().map(text => `?${text}`),
    fc
      .record({
        q: fc.string({ maxLength: 120 }),
        skills: fc.string({ maxLength: 40 }),
        limit: fc.string({ maxLength: 9 }),
        sortBy: fc.string({ maxLength: 9 }),
      })
      .map(fields => `?${new URLSearchParams(fields)}`),
    fc.string({ maxLength: 60 }).map(q => `?q=${encodeURIComponent(q)}`),
  )
  const request = fc.record({
    endpoint: fc.constantFrom(...endpoints),
    segments: fc.array(segment, { minLength: 3, maxLength: 3 }),
    query,
    body,
    isRegistered: fc.boolean(),
  })

  it(`gets an answer below 500 with the declared error body, on every endpoint, in ${requests.toLocaleString('en')} generated requests`, async function () {
    this.timeout(120_000)
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: together, maxLength: together }), async list => {
        await Promise.all(
          list.map(async ({ endpoint, segments, query: search, body: sent, isRegistered }) => {
            let at = 0
            const filled = endpoint.path.replace(/:[A-Za-z]+/g, () => segments[at++]!.replace(/^own$/, agent.id))
            const method = endpoint.method.toUpperCase()
            const admin = endpoint.caller === 'admin' ? { 'x-admin-wallet': agent.wallet } : {}
            const identity = { ...(isRegistered ? agent.headers : {}), ...admin, ...headers }
            const response = await fetch(`${harness.platform.url}${filled}${search}`, {
              method,
              headers: { ...identity, ...(method === 'GET' ? {} : { 'content-type': 'application/json' }) } as Record<string, string>,
              ...(method === 'GET' ? {} : { body: sent }),
            })
            const text = await response.text()
            assert.ok(response.status < 500, `${method} ${filled}${search} ${sent} → ${response.status} ${text}`)
            if (response.status < 400) return
            const answer = JSON.parse(text)
            assert.ok(Object.hasOwn(errors, answer.code), text)
            assert.equal(answer.status, response.status)
          }),
        )
      }),
      { numRuns: requests / together },
    )
  })
})
