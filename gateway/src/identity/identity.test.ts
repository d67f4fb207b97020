import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { get } from 'node:http'
import { mock } from 'node:test'
import { identityApi } from '@carapace/api'
import { openDatabase } from '@carapace/store'
import { httpCall, newTestAgent, published, until } from '@carapace/testing'
import { type Harness, noWallet, startHarness } from '../testing/harness.ts'

const oracle = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const admin = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const stranger = `0x${'ab'.repeat(20)}`

describe('identity in plain mode', () => {
  let harness: Harness
  let a: ReturnType<Harness['agent']>
  let b: ReturnType<Harness['agent']>
  let suspended: ReturnType<Harness['agent']>
  before(async () => {
    harness = await startHarness({ ORACLE_WALLET: oracle, ADMIN_WALLETS: admin })
    a = harness.agent()
    b = harness.agent()
    suspended = harness.agent({ status: 'suspended' })
  })
  after(() => harness.close())

  const id = (value: string) => ({ 'x-agent-id': value })
  const wallet = (value: string) => ({ 'x-wallet-address': value })
  const adm = (value: string) => ({ 'x-admin-wallet': value })

  // one endpoint of each caller class: [class, method, path]
  const agentRoute = ['GET', () => `/api/agents/${a.agentId}/treasury/balance`] as const
  const walletRoute = ['POST', () => '/api/gigs'] as const
  const walletOnlyRoute = ['POST', () => `/api/agents/${a.agentId}/reactivate`] as const
  const optionalRoute = ['GET', () => `/api/agents/${a.agentId}/notifications`] as const
  const fundRoute = ['POST', () => '/api/agent-payments/fund-escrow'] as const
  const publicRoute = ['GET', () => '/api/agents'] as const
  const adminRoute = ['POST', () => `/api/admin/agents/${a.agentId}/suspend`] as const
  const releaseRoute = ['POST', () => '/api/escrow/release'] as const

  type Row = [name: string, route: readonly [string, () => string], headers: () => Record<string, string>, status: number, code?: string]
  const outcomes: Row[] = [
    ['A without headers', agentRoute, () => ({}), 401, 'AUTH_REQUIRED'],
    ['A with an empty header', agentRoute, () => id(' '), 401, 'AUTH_REQUIRED'],
    ['A with no UUID', agentRoute, () => id('me'), 401, 'IDENTITY_INVALID'],
    ['A unknown', agentRoute, () => id(randomUUID()), 401, 'IDENTITY_INVALID'],
    ['A known', agentRoute, () => id(a.agentId), 200],
    ['A known, in capitals', agentRoute, () => id(a.agentId.toUpperCase()), 200],
    ['A with its wallet, in other letters', agentRoute, () => ({ ...id(a.agentId), ...wallet(a.wallet.toLowerCase()) }), 200],
    ['A with a malformed wallet', agentRoute, () => ({ ...id(a.agentId), ...wallet('0x12') }), 401, 'IDENTITY_INVALID'],
    ['A with the zero wallet', agentRoute, () => ({ ...id(a.agentId), ...wallet(noWallet) }), 401, 'IDENTITY_INVALID'],
    ['A with an unknown wallet', agentRoute, () => ({ ...id(a.agentId), ...wallet(stranger) }), 401, 'IDENTITY_INVALID'],
    ["A with another agent's wallet", agentRoute, () => ({ ...id(a.agentId), ...wallet(b.wallet) }), 403, 'WALLET_MISMATCH'],
    ['A suspended, reading', agentRoute, () => id(suspended.agentId), 200],
    ['W without headers', walletRoute, () => ({}), 401, 'AUTH_REQUIRED'],
    ['W with the id alone', walletRoute, () => id(a.agentId), 401, 'AUTH_REQUIRED'],
    ['W with the wallet alone', walletRoute, () => wallet(a.wallet), 401, 'AUTH_REQUIRED'],
    ['W', walletRoute, () => ({ ...id(a.agentId), ...wallet(a.wallet) }), 200],
    ['W of two agents', walletRoute, () => ({ ...id(b.agentId), ...wallet(a.wallet) }), 403, 'WALLET_MISMATCH'],
    ['W suspended, writing', walletRoute, () => ({ ...id(suspended.agentId), ...wallet(suspended.wallet) }), 403, 'ACCOUNT_SUSPENDED'],
    ['W as admin only', walletRoute, () => adm(admin), 401, 'AUTH_REQUIRED'],
    ['X without headers', walletOnlyRoute, () => ({}), 401, 'AUTH_REQUIRED'],
    ['X', walletOnlyRoute, () => wallet(a.wallet.toUpperCase().replace('0X', '0x')), 200],
    ['X unknown', walletOnlyRoute, () => wallet(stranger), 401, 'IDENTITY_INVALID'],
    ['X with its id', walletOnlyRoute, () => ({ ...wallet(a.wallet), ...id(a.agentId) }), 200],
    ["X with another agent's id", walletOnlyRoute, () => ({ ...wallet(a.wallet), ...id(b.agentId) }), 403, 'WALLET_MISMATCH'],
    ['optional without headers', optionalRoute, () => ({}), 200],
    ['optional with an id', optionalRoute, () => id(a.agentId), 200],
    ['optional with an unknown id', optionalRoute, () => id(randomUUID()), 401, 'IDENTITY_INVALID'],
    ['optional with a wallet', optionalRoute, () => wallet(a.wallet), 200],
    ['nobody or W without headers', fundRoute, () => ({}), 200],
    ['nobody or W with the id alone', fundRoute, () => id(a.agentId), 401, 'AUTH_REQUIRED'],
    ['nobody or W with the wallet alone', fundRoute, () => wallet(a.wallet), 401, 'AUTH_REQUIRED'],
    ['nobody or W with both', fundRoute, () => ({ ...id(a.agentId), ...wallet(a.wallet) }), 200],
    ['nobody or W of two agents', fundRoute, () => ({ ...id(a.agentId), ...wallet(b.wallet) }), 403, 'WALLET_MISMATCH'],
    ['public with nonsense', publicRoute, () => ({ ...id('nonsense'), ...wallet('x'), ...adm('y') }), 200],
    ['Adm without header', adminRoute, () => ({}), 401, 'AUTH_REQUIRED'],
    ['Adm malformed', adminRoute, () => adm('0x'), 403, 'NOT_ADMIN'],
    ['Adm unlisted', adminRoute, () => adm(stranger), 403, 'NOT_ADMIN'],
    ['Adm by the oracle, who is no admin', adminRoute, () => adm(oracle), 403, 'NOT_ADMIN'],
    ['Adm', adminRoute, () => adm(admin.toLowerCase()), 200],
    ['Ora or W as oracle', releaseRoute, () => adm(oracle), 200],
    ['Ora or W as admin', releaseRoute, () => adm(admin), 200],
    ['Ora or W as agent', releaseRoute, () => ({ ...id(a.agentId), ...wallet(a.wallet) }), 200],
    [
      'Ora or W as false oracle beside a true agent',
      releaseRoute,
      () => ({ ...adm(stranger), ...id(a.agentId), ...wallet(a.wallet) }),
      403,
      'NOT_ADMIN',
    ],
    ['Ora or W without headers', releaseRoute, () => ({}), 401, 'AUTH_REQUIRED'],
  ]
  for (const [name, [method, path], headers, status, code] of outcomes)
    it(`${name}: ${status}${code ? ` ${code}` : ''}`, async () => {
      const answer = await harness.call(method, path(), { headers: headers(), ...(method === 'POST' ? { body: {} } : {}) })

      assert.equal(answer.status, status, JSON.stringify(answer.body))
      assert.equal(answer.body.code, code)
    })

  it('lets an agent that has migrated have what it owns and end what it has begun, and nothing more; one that is suspended neither', async () => {
    const callOf = async (status: 'migrated' | 'suspended', path: (agentId: string) => string, body: object) => {
      const { agentId, wallet: its } = harness.agent({ status })
      const answer = await harness.call('POST', path(agentId), { headers: { ...id(agentId), ...wallet(its) }, body })
      return answer.status === 200 ? 200 : answer.body.code
    }
    const ending: [path: (agentId: string) => string, body: object][] = [
      [agentId => `/api/agents/${agentId}/treasury/withdraw`, { amount: 1_000_000 }],
      [() => `/api/treasury/payments/${randomUUID()}/cancel`, {}],
      [agentId => `/api/bond/${agentId}/withdraw`, { amount: 10 }],
      [() => `/api/gigs/${randomUUID()}/submit-deliverable`, { deliverableNote: 'Done' }],
      [() => `/api/erc8183/jobs/${randomUUID()}/cancel`, {}],
    ]
    for (const [path, body] of ending) {
      assert.equal(await callOf('migrated', path, body), 200, path(':id'))
      assert.equal(await callOf('suspended', path, body), 'ACCOUNT_SUSPENDED', path(':id'))
    }
    const beginning = [
      (agentId: string) => `/api/agents/${agentId}/treasury/pay`,
      (agentId: string) => `/api/bond/${agentId}/deposit`,
      () => '/api/gigs',
    ]
    for (const path of beginning) assert.equal(await callOf('migrated', path, {}), 'ACCOUNT_SUSPENDED', path(':id'))
  })

  it('names the caller to the service: the agent, the admin, or nobody', async () => {
    const agent = await harness.call('POST', '/api/gigs', { headers: { ...id(a.agentId), ...wallet(a.wallet) }, body: {} })
    const asAdmin = await harness.call('POST', '/api/escrow/release', { headers: adm(oracle.toLowerCase()), body: {} })
    const nobody = await harness.call('GET', '/api/agents', { headers: id(a.agentId) })

    assert.deepEqual(agent.body.context.agent, { kind: 'agent', agentId: a.agentId, wallet: a.wallet })
    assert.deepEqual(asAdmin.body.context.admin, { kind: 'oracle', wallet: oracle })
    assert.deepEqual([nobody.body.context.agent, nobody.body.context.admin], [undefined, undefined])
  })

  it('knows agents from events, without a request to identity', async () => {
    const agentId = randomUUID()
    const own = `0x${randomBytes(20).toString('hex')}`
    const payload = {
      agentId,
      handle: 'by-event',
      wallet: own,
      walletProven: false,
      agentType: null,
      preferredChain: 'BASE_SEPOLIA' as const,
      chains: ['BASE_SEPOLIA' as const],
      cardTokenId: 1,
      status: 'active' as const,
      platform: false,
      registeredAt: new Date().toISOString(),
      description: null,
      skills: [],
      verifiedSkills: [],
      externalLink: null,
      avatar: null,
    }
    await harness.bus.publish([published(identityApi.events.agentRegistered.of(payload))])

    await until(
      'the event arrived',
      async () => (await harness.call('POST', '/api/gigs', { headers: { ...id(agentId), ...wallet(own) }, body: {} })).status === 200,
    )

    harness.upstream.identityDown = true
    const answer = await harness.call('POST', '/api/gigs', { headers: { ...id(agentId), ...wallet(own) }, body: {} })
    const unknown = await harness.call('POST', '/api/gigs', { headers: { ...id(randomUUID()), ...wallet(own) }, body: {} })
    harness.upstream.identityDown = false
    assert.equal(answer.status, 200)
    assert.deepEqual([unknown.status, unknown.body.code], [503, 'DEPENDENCY_UNAVAILABLE'])
  })

  it('reads identity before it refuses: a reinstated agent writes immediately', async () => {
    const agent = harness.agent({ status: 'suspended' })
    const headers = { ...id(agent.agentId), ...wallet(agent.wallet) }
    assert.equal((await harness.call('POST', '/api/gigs', { headers, body: {} })).status, 403)

    harness.upstream.agents.set(agent.agentId, { ...agent, status: 'active', version: 2 })

    assert.equal((await harness.call('POST', '/api/gigs', { headers, body: {} })).status, 200)
  })

  describe('of an id that was unknown', () => {
    let now: number
    // a busy machine may need seconds between two calls
    beforeEach(() => {
      now = performance.now()
      mock.method(performance, 'now', () => now)
    })
    afterEach(() => mock.restoreAll())

    it('remembers it for a second at most, and no unknown wallet', async () => {
      const write = (headers: Record<string, string>) => harness.call('POST', `/api/agents/${a.agentId}/reactivate`, { headers, body: {} })
      const questions = async (headers: Record<string, string>) => {
        const before = harness.upstream.agentQuestions
        assert.equal((await write(headers)).body.code, 'IDENTITY_INVALID')
        return harness.upstream.agentQuestions - before
      }
      const unknown = { ...id(randomUUID()), ...wallet(a.wallet) }
      const unknownWallet = wallet(`0x${randomBytes(20).toString('hex')}`)

      assert.deepEqual([await questions(unknown), await questions(unknown)], [1, 0])
      assert.deepEqual([await questions(unknownWallet), await questions(unknownWallet)], [1, 1])
      now += 1_000
      assert.equal(await questions(unknown), 1)
    })

    it('admits an agent as soon as its registration arrives', async () => {
      const { agent, registered, row } = newTestAgent()
      const call = () => harness.call('GET', `/api/agents/${agent.id}/treasury/balance`, { headers: agent.headers })
      assert.equal((await call()).body.code, 'IDENTITY_INVALID')

      harness.upstream.agents.set(agent.id, row)
      assert.equal((await call()).body.code, 'IDENTITY_INVALID', 'the id is remembered as unknown')
      await harness.bus.publish([published(registered)])

      await until('the event arrived', async () => (await call()).status === 200)
    })
  })

  it('writes nothing for a caller that is refused', async () => {
    const agent = harness.agent()
    const other = harness.agent({ status: 'suspended' })
    const rows = await openDatabase({ uri: harness.mongo.uri, name: `${harness.mongo.prefix}carapace_gateway` })
    try {
      const stored = () => rows.collection('agents').countDocuments({ _id: { $in: [agent.agentId, other.agentId] } as never })
      const refused = await harness.call('POST', '/api/gigs', { headers: { ...id(agent.agentId), ...wallet(b.wallet) }, body: {} })
      const suspended = await harness.call('POST', '/api/gigs', { headers: { ...id(other.agentId), ...wallet(other.wallet) }, body: {} })
      assert.deepEqual([refused.body.code, suspended.body.code, await stored()], ['WALLET_MISMATCH', 'ACCOUNT_SUSPENDED', 0])

      await harness.call('POST', '/api/gigs', { headers: { ...id(agent.agentId), ...wallet(agent.wallet) }, body: {} })
      assert.equal(await stored(), 1)
    } finally {
      await rows.close()
    }
  })

  it('reads its copy of an agent once', async () => {
    const agent = harness.agent()
    const request = async () =>
      (await harness.call('POST', '/api/gigs', { headers: { ...id(agent.agentId), ...wallet(agent.wallet) }, body: {} })).status
    const rows = await openDatabase({ uri: harness.mongo.uri, name: `${harness.mongo.prefix}carapace_gateway` })
    try {
      assert.deepEqual([await request(), await request()], [200, 200])
      await rows.collection('agents').deleteOne({ _id: agent.agentId as never })
      harness.upstream.identityDown = true

      assert.equal(await request(), 200)
    } finally {
      harness.upstream.identityDown = false
      await rows.close()
    }
  })

  it('stops a suspended agent once the event arrived', async () => {
    const agent = harness.agent()
    const headers = { ...id(agent.agentId), ...wallet(agent.wallet) }
    assert.equal((await harness.call('POST', '/api/gigs', { headers, body: {} })).status, 200)
    harness.upstream.agents.set(agent.agentId, { ...agent, status: 'suspended', version: 2 })
    const change = {
      agentId: agent.agentId,
      handle: agent.handle,
      status: 'suspended' as const,
      wallet: agent.wallet,
      formerWallet: null,
      cause: 'admin' as const,
      reason: null,
    }
    await harness.bus.publish([published(identityApi.events.agentStatusChanged.of(change), 2)])

    await until('writes are refused', async () => (await harness.call('POST', '/api/gigs', { headers, body: {} })).body.code === 'ACCOUNT_SUSPENDED')
  })

  it('requires a signature where the agent demands it', async () => {
    const agent = harness.agent({ requireSignature: true })
    const answer = await harness.call('POST', '/api/gigs', { headers: { ...id(agent.agentId), ...wallet(agent.wallet) }, body: {} })

    assert.deepEqual([answer.status, answer.body.code], [401, 'SIGNATURE_REQUIRED'])
    const messages = await harness.call('GET', `/api/agents/${agent.agentId}/messages`, { headers: id(agent.agentId) })
    assert.deepEqual([messages.status, messages.body.code], [401, 'SIGNATURE_REQUIRED'])
  })

  it('lets no other site act for an agent, and any site read what is public', async () => {
    const page = { origin: 'https://other.example' }
    const acting = await harness.call('POST', '/api/gigs', { headers: { ...page, ...id(a.agentId), ...wallet(a.wallet) }, body: {} })
    const reading = await harness.call('GET', '/api/agents', { headers: page })
    const card = await harness.call('GET', '/.well-known/agent-card.json', { headers: page })
    const own = await harness.call('POST', '/api/gigs', { headers: { origin: harness.url, ...id(a.agentId), ...wallet(a.wallet) }, body: {} })
    const preflight = await harness.call('OPTIONS', '/api/agents', { headers: { ...page, 'access-control-request-method': 'GET' } })
    const refused = await harness.call('OPTIONS', '/api/gigs', { headers: { ...page, 'access-control-request-method': 'POST' } })

    // a body of no type goes out without a preflight
    const sent = async (path: string, origin: string) => {
      const response = await fetch(harness.url + path, { method: 'POST', headers: { origin }, body: new Blob(['{"advanceSeconds":0}']) })
      return [response.status, JSON.parse(await response.text()).code]
    }
    const open = ['/api/sandbox/clock', '/api/sandbox/faucet', '/api/register-agent', `/api/agents/${a.agentId}/heartbeat`]
    for (const path of open)
      for (const origin of ['https://other.example', 'null', 'http://127.0.0.1:1'])
        assert.deepEqual(await sent(path, origin), [403, 'FORBIDDEN'], `${origin} to ${path}`)
    assert.deepEqual(await sent('/api/sandbox/clock', harness.url), [200, undefined])
    assert.equal((await harness.call('POST', '/api/x402/pay', { headers: page, body: { endpoint: '/api/gigs' } })).body.code, 'NOT_PRICED')

    assert.deepEqual([acting.status, acting.body.code], [403, 'FORBIDDEN'])
    assert.equal(acting.headers.get('access-control-allow-origin'), null)
    for (const { headers } of [reading, card]) assert.equal(headers.get('access-control-allow-origin'), '*')
    assert.equal(own.status, 200)
    assert.equal(preflight.status, 200)
    const allowed = preflight.headers.get('access-control-allow-headers') ?? ''
    assert.doesNotMatch(allowed, /x-agent|x-wallet|x-admin/)
    // what the clients of x402 send besides their payment
    for (const name of ['x-payment', 'payment-signature', 'access-control-expose-headers']) assert.ok(allowed.split(', ').includes(name), name)
    assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [405, null])
  })
})

describe('a gateway that others can name', () => {
  const statusUnder = (url: string, host: string) =>
    new Promise<number>(resolve => get(`${url}/api/agents`, { headers: { host } }, ({ statusCode }) => resolve(statusCode ?? 0)).end())

  it('answers in plain mode under loopback names, its own and the listed ones only', async () => {
    const harness = await startHarness({ PUBLIC_BASE_URL: 'http://agents.example:3000', ALLOWED_HOSTS: 'inside.example' })
    try {
      for (const host of ['localhost:1', '127.0.0.1', '[::1]:3000', 'agents.example', 'inside.example:80'])
        assert.equal(await statusUnder(harness.url, host), 200, host)
      for (const host of ['rebound.example', '10.0.0.1', 'agents.example.evil.test']) assert.equal(await statusUnder(harness.url, host), 403, host)
    } finally {
      await harness.close()
    }
  })

  it('lets pages of all sites send signed requests in signed mode, never with admin headers nor to operators or sandbox', async () => {
    const harness = await startHarness({ AUTH_MODE: 'signed', ADMIN_WALLETS: admin })
    const page = { origin: 'https://other.example' }
    const preflight = (path: string, method: string) =>
      harness.call('OPTIONS', path, { headers: { ...page, 'access-control-request-method': method } })
    try {
      const open = await preflight('/api/gigs', 'POST')
      const allowed = open.headers.get('access-control-allow-headers') ?? ''
      assert.equal(open.status, 200)
      for (const name of [
        'x-agent-id',
        'x-wallet-address',
        'signature',
        'signature-input',
        'content-digest',
        'idempotency-key',
        'x-payment',
        'payment-signature',
        'access-control-expose-headers',
      ])
        assert.ok(allowed.split(', ').includes(name), name)
      assert.doesNotMatch(allowed, /x-admin/)
      assert.match(open.headers.get('access-control-allow-methods') ?? '', /PATCH, DELETE/)
      assert.equal(open.headers.get('access-control-allow-credentials'), null)
      for (const path of ['/api/admin/invites', '/api/sandbox/clock']) assert.equal((await preflight(path, 'POST')).status, 405, path)

      // a body of no type goes out without a preflight
      for (const path of ['/api/sandbox/clock', '/api/sandbox/faucet', '/api/admin/invites']) {
        const acting = await fetch(harness.url + path, { method: 'POST', headers: page, body: new Blob(['{"advanceSeconds":0}']) })
        assert.deepEqual([acting.status, acting.headers.get('access-control-allow-origin')], [403, null], path)
      }
      assert.equal((await harness.call('POST', '/api/sandbox/clock', { headers: { origin: harness.url }, body: { advanceSeconds: 0 } })).status, 200)

      const refused = await harness.call('POST', '/api/gigs', { headers: page, body: {} })
      assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [401, '*'])
      const exposed = refused.headers.get('access-control-expose-headers') ?? ''
      for (const name of [
        'payment-required',
        'payment-response',
        'x-payment-response',
        'x-request-id',
        'link',
        'x-total-count',
        'etag',
        'retry-after',
        'ratelimit',
      ])
        assert.ok(exposed.split(', ').includes(name), name)
    } finally {
      await harness.close()
    }
  })
})

describe('admins in plain mode', () => {
  it('need the key where one is set', async () => {
    const harness = await startHarness({ ADMIN_WALLETS: admin, ADMIN_API_KEY: 'a-key-of-sixteen-or-more' })
    try {
      const status = async (headers: Record<string, string>) => (await harness.call('GET', '/api/admin/dead-letters', { headers })).status
      assert.equal(await status({ 'x-admin-wallet': admin }), 403)
      assert.equal(await status({ 'x-admin-wallet': admin, 'x-admin-key': 'a-key-of-sixteen-or-mor' }), 403)
      assert.equal(await status({ 'x-admin-wallet': admin, 'x-admin-key': 'a-key-of-sixteen-or-more' }), 200)
    } finally {
      await harness.close()
    }
  })

  it('need to come straight from this machine where none is set, and the oracle is an admin by default', async () => {
    const harness = await startHarness({ ORACLE_WALLET: oracle })
    try {
      const status = async (headers: Record<string, string>) =>
        (await httpCall(harness.url, 'GET', '/api/admin/dead-letters', { headers: { 'x-admin-wallet': oracle, ...headers } })).status
      assert.equal(await status({}), 200)
      for (const proxied of ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'via'])
        assert.equal(await status({ [proxied]: '127.0.0.1' }), 403, proxied)
    } finally {
      await harness.close()
    }
  })
})
