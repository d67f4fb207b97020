import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { apis, routes } from '@carapace/api'
import { httpCall, newWallet } from '@carapace/testing'
import { signRequest } from '@slicekit/erc8128'
import { Wallet } from 'ethers'
import { type Harness, startHarness } from '../testing/harness.ts'
import { json } from '../testing/upstream.ts'
import { legacyRoutes } from './table.ts'

describe('the paths of the older API', () => {
  let harness: Harness

  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())
  beforeEach(() => {
    harness.upstream.seen.length = 0
  })

  /** What the service answers next, and what it got. */
  const answering = (body: unknown, headers: Record<string, string> = {}, status = 200) => {
    harness.upstream.answer = (_, response) =>
      void response.writeHead(status, { 'content-type': 'application/json', etag: 'W/"1"', ...headers }).end(JSON.stringify(body))
  }
  const received = () => harness.upstream.seen.map(({ method, url, body }) => [method, url, body.length > 0 ? JSON.parse(String(body)) : undefined])
  const as = () => {
    const { agentId, wallet } = harness.agent()
    return { agentId, headers: { 'x-agent-id': agentId, 'x-wallet-address': wallet } }
  }

  it('are none of the interface, and lead to operations that it has', () => {
    const table = routes(Object.values(apis))
    const example = (path: string) => path.replace(/:\w+/g, 'x')
    for (const { from, to } of legacyRoutes) {
      const [[fromMethod, fromPath], [toMethod, toPath]] = [from.split(' '), to.split(' ')] as [[string, string], [string, string]]
      assert.ok(!('endpoint' in table.match(fromMethod, example(fromPath))), from)
      assert.ok('endpoint' in table.match(toMethod, example(toPath)), to)
    }
  })

  it('are those of the table in behaviour 19', async () => {
    const text = await readFile(new URL('../../../docs/behaviour.md', import.meta.url), 'utf8')
    const [, section = ''] = /^## 19\.([\s\S]*?)^Not served/m.exec(text) ?? []
    const named = [...section.matchAll(/^\| (?!Legacy|-)(.*?) \|/gm)].flatMap(([, cell]) =>
      [...cell!.matchAll(/(?:(GET|POST|PATCH) )?(\/api\/[^ ,;]+)/g)].map(([, method, path]) => ({ method, path: path! })),
    )
    // a method is written once for the paths that follow it
    let method = ''
    const rows = named.map(row => {
      method = row.method ?? method
      return `${method} ${row.path}`
    })
    const shape = (row: string) => row.replace(/:\w+/g, ':')

    assert.deepEqual(rows.map(shape).sort(), legacyRoutes.map(({ from }) => shape(from)).sort())
  })

  it('answer in the older form', async () => {
    answering({ leaderboard: [{ handle: 'a' }], updatedAt: 'now' })
    assert.deepEqual((await harness.call('GET', '/api/leaderboard')).body, [{ handle: 'a' }])

    answering({ fusedScore: 7, breakdown: { tier: 'x' } })
    const { body } = await harness.call('GET', '/api/reputation/agent-1')
    assert.deepEqual([body.breakdown, received().at(-1)], [{ tier: 'x', fusedScore: 7 }, ['GET', '/api/agents/agent-1/reputation', undefined]])
  })

  it('give gigs with their count, or alone where only a skill is searched', async () => {
    answering([{ id: 'g' }], { 'x-total-count': '9' })

    const counted = await harness.call('GET', '/api/gigs/discover?skill=go&limit=1')
    const bare = await harness.call('GET', '/api/gigs/discover?skill=go')

    assert.deepEqual(counted.body, { gigs: [{ id: 'g' }], total: 9, limit: 1, offset: 0, filters: { skill: 'go' } })
    assert.deepEqual(bare.body, [{ id: 'g' }])
    assert.deepEqual(
      received().map(([, url]) => url),
      ['/api/gigs?skill=go&limit=1&status=open', '/api/gigs?skill=go&status=open'],
    )
  })

  it('answer HEAD as GET, and the preflight of what they accept', async () => {
    answering({ leaderboard: [{ handle: 'a' }] })
    const head = await fetch(`${harness.url}/api/leaderboard`, { method: 'HEAD' })
    const preflight = (path: string, method: string) =>
      fetch(harness.url + path, { method: 'OPTIONS', headers: { origin: 'https://page.test', 'access-control-request-method': method } })

    assert.deepEqual([head.status, await head.text(), received()], [200, '', [['HEAD', '/api/agents/leaderboard', undefined]]])
    const open = await preflight('/api/leaderboard', 'GET')
    assert.deepEqual([open.status, open.headers.get('access-control-allow-origin')], [200, '*'])
    assert.deepEqual([(await preflight('/api/leaderboard', 'POST')).status, (await preflight('/api/gigs/create', 'POST')).status], [404, 405])
  })

  it('have a fixed part of their query that nobody changes', async () => {
    answering([], { 'x-total-count': '0' })
    await harness.call('GET', '/api/gigs/discover?status=completed&skill=go&constructor=1')

    assert.deepEqual(received(), [['GET', '/api/gigs?skill=go&constructor=1&status=open', undefined]])
  })

  it('accept fields under their older names', async () => {
    answering({ id: 'g' }, {}, 201)
    const { headers } = as()

    const { status } = await harness.call('POST', '/api/gigs/create', { headers, body: { title: 't', skills: ['go'], constructor: 1 } })
    await harness.call('POST', '/api/agent-register', { body: { name: 'a-b', bio: 'x', skills: [{ name: 'go' }, 'rust'], walletAddress: '0x1' } })
    await harness.call('PATCH', '/api/gigs/g1/assign', { headers, body: { assigneeId: 'b' } })

    assert.equal(status, 201)
    assert.deepEqual(received(), [
      ['POST', '/api/gigs', { title: 't', skillsRequired: ['go'], constructor: 1 }],
      ['POST', '/api/register-agent', { walletAddress: '0x1', handle: 'a-b', description: 'x', skills: ['go', 'rust'] }],
      ['POST', '/api/gigs/g1/accept-applicant', { applicantAgentId: 'b' }],
    ])
  })

  it('act for the caller that the headers name, and for nobody else', async () => {
    answering({ updated: 1, unreadCount: 0 })
    const { agentId, headers } = as()

    const done = await harness.call('PATCH', '/api/notifications/n1/read', { headers, body: {} })
    const nobody = await harness.call('PATCH', '/api/notifications/n1/read', { body: {} })

    assert.deepEqual([done.status, nobody.status], [200, 401])
    assert.deepEqual(received(), [['PATCH', `/api/agents/${agentId}/notifications`, { read: true, notificationIds: ['n1'] }]])
    assert.equal(harness.upstream.seen[0]?.context?.agent?.agentId, agentId)
  })

  it('give refusals on as they are, and refuse a body that is none', async () => {
    answering({ code: 'NOT_FOUND', message: 'no', status: 404 }, {}, 404)
    assert.deepEqual((await harness.call('GET', '/api/gigs/g1/receipt')).body.code, 'NOT_FOUND')

    const { headers } = as()
    const broken = await fetch(`${harness.url}/api/gigs/create`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"a": ',
    })
    const tooLong = await fetch(`${harness.url}/api/gigs/create`, { method: 'POST', headers, body: `{"a":"${'x'.repeat(110_000)}"}` })
    assert.deepEqual([broken.status < 500, tooLong.status], [true, 413])
  })

  it('declare what they are sent, and refuse what no path of the interface accepts', async () => {
    answering({ id: 'g' }, {}, 201)
    const { headers } = as()
    const post = (type: string, more: Record<string, string> = {}) =>
      harness.call('POST', '/api/gigs/create', { headers: { ...headers, 'content-type': type, ...more }, raw: '{"title":"t"}' })

    assert.equal((await post('application/json; charset=utf-8')).status, 201)
    assert.equal(harness.upstream.seen[0]?.headers['content-type'], 'application/json; charset=utf-8')
    const refused = [await post('text/plain'), await post('application/json', { 'content-encoding': 'gzip' })]
    assert.deepEqual(
      refused.map(({ status }) => status),
      [415, 415],
    )
    assert.equal(harness.upstream.seen.length, 1)
  })
})

describe('a call of the older API that names its agent by its wallet', () => {
  it('costs no lookup once its address is over the limits', async () => {
    const harness = await startHarness({ RATE_LIMIT_READ: '2', RATE_LIMIT_WRITE: '1' })
    try {
      const read = () => httpCall(harness.url, 'PATCH', '/api/notifications/n1/read', { body: {}, headers: { 'x-wallet-address': newWallet() } })
      for (let i = 0; i < 12; i++) await read()
      const before = harness.upstream.agentQuestions
      const { status, body, headers } = await read()

      assert.deepEqual([status, body.code, harness.upstream.agentQuestions - before], [429, 'RATE_LIMITED', 0])
      assert.ok(Number(headers.get('retry-after')) > 0)
    } finally {
      await harness.close()
    }
  })
})

describe('a signed call of the older API', () => {
  let harness: Harness
  let agentId: string
  const wallet = Wallet.createRandom()
  const signer = {
    address: wallet.address as `0x${string}`,
    chainId: 84532,
    signMessage: async (message: string | Uint8Array) => (await wallet.signMessage(message)) as `0x${string}`,
  }

  before(async () => {
    harness = await startHarness({ AUTH_MODE: 'signed' })
    agentId = harness.agent({ wallet: wallet.address }).agentId
    harness.upstream.answer = (_seen, response) => json(response, 201, { id: 'g' })
  })
  after(() => harness.close())
  beforeEach(() => {
    harness.upstream.seen.length = 0
  })

  const signed = async (path: string, raw: string) => {
    const request = await signRequest(harness.url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: raw }, signer)
    return { raw, headers: Object.fromEntries(request.headers) }
  }
  const post = (given: { raw: string; headers: Record<string, string> }) => httpCall(harness.url, 'POST', '/api/gigs/create', given)

  it('marks its own notifications, as the one who signed', async () => {
    const request = await signRequest(`${harness.url}/api/notifications/n1/read`, { method: 'PATCH' }, signer)

    const { status } = await httpCall(harness.url, 'PATCH', '/api/notifications/n1/read', { headers: Object.fromEntries(request.headers) })

    const [seen] = harness.upstream.seen
    assert.deepEqual([status, seen?.url, seen?.context?.signedBy], [201, `/api/agents/${agentId}/notifications`, wallet.address])
  })

  it('is signed as it was sent: for the older path, with the older names', async () => {
    const request = await signed('/api/gigs/create', '{"title":"t","skills":["go"]}')

    assert.equal((await post(request)).status, 201)
    const [seen] = harness.upstream.seen
    assert.deepEqual(
      [seen?.url, JSON.parse(String(seen?.body)), seen?.context?.signedBy],
      ['/api/gigs', { title: 't', skillsRequired: ['go'] }, wallet.address],
    )
    assert.equal((await post(request)).body.code, 'SIGNATURE_REPLAYED')
  })

  it('may come from pages of other sites, as those of the interface', async () => {
    const headers = { origin: 'https://page.test', 'access-control-request-method': 'PATCH' }
    const { status, headers: answered } = await fetch(`${harness.url}/api/agents/a/webhook`, { method: 'OPTIONS', headers })

    assert.deepEqual([status, /PATCH/.test(answered.get('access-control-allow-methods') ?? '')], [200, true])
  })

  it('is refused with another body, or signed for the path that answers it', async () => {
    const request = await signed('/api/gigs/create', '{"title":"t"}')
    const changed = await post({ ...request, raw: '{"title":"u"}' })
    const elsewhere = await post(await signed('/api/gigs', '{"title":"t"}'))

    assert.deepEqual([changed.body.code, elsewhere.body.code], ['SIGNATURE_INVALID', 'SIGNATURE_INVALID'])
  })
})
