import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { get } from 'node:http'
import type { AgentRow } from '@carapace/api'
import { httpCall } from '@carapace/testing'
import { type SignOptions, signRequest } from '@slicekit/erc8128'
import { type HDNodeWallet, Wallet } from 'ethers'
import { type Harness, startHarness } from '../testing/harness.ts'

const admin = Wallet.createRandom()

describe('signed requests', () => {
  let harness: Harness
  let wallet: HDNodeWallet
  let agent: AgentRow
  before(async () => {
    harness = await startHarness({ AUTH_MODE: 'signed', ADMIN_WALLETS: admin.address })
  })
  after(() => harness.close())
  beforeEach(() => {
    wallet = Wallet.createRandom()
    agent = harness.agent({ wallet: wallet.address })
  })

  const identity = () => ({ 'x-agent-id': agent.agentId, 'x-wallet-address': wallet.address })
  type Change = {
    signer?: HDNodeWallet
    path?: string
    method?: string
    body?: string
    headers?: Record<string, string>
    options?: SignOptions
    chainId?: number
  }
  /** The headers of a request that is signed by a client that is not ours. */
  async function signed({ signer = wallet, path = '/api/gigs', method = 'POST', body, headers = identity(), options, chainId = 84532 }: Change = {}) {
    const components = Object.keys(headers).filter(name => ['x-agent-id', 'x-admin-wallet', 'idempotency-key'].includes(name))
    const request = await signRequest(
      harness.url + path,
      {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body }),
      },
      {
        address: signer.address as `0x${string}`,
        chainId,
        signMessage: async message => (await signer.signMessage(message)) as `0x${string}`,
      },
      { components, ...options },
    )
    return Object.fromEntries(request.headers)
  }

  it('are accepted from another implementation of ERC-8128, with body, query and idempotency key', async () => {
    const body = '{"title":"x"}'
    const path = '/api/gigs?a=1&b=%20'
    const headers = await signed({ path, body, headers: { ...identity(), 'idempotency-key': 'k-1' } })

    const answer = await httpCall(harness.url, 'POST', path, { headers, raw: body })

    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.equal(answer.headers.get('x-auth-mode'), 'signed')
    assert.deepEqual(
      [answer.body.context.mode, answer.body.context.signedBy, answer.body.context.agent.agentId],
      ['signed', wallet.address, agent.agentId],
    )
  })

  it('are accepted with a query that is nothing but its mark, as browsers send it', async () => {
    const path = '/api/gigs?'
    const headers = await signed({ path, method: 'GET' })
    assert.ok(!headers['signature-input']!.includes('@query'))

    const status = await new Promise((resolve, reject) => {
      get(harness.url + path, { path, headers }, response => resolve(response.resume().statusCode)).once('error', reject)
    })

    assert.equal(status, 200)
    assert.equal(harness.upstream.seen.at(-1)?.url, path)
    assert.equal(harness.upstream.seen.at(-1)?.context?.signedBy, wallet.address)
  })

  it('are needed by writes and private reads, not by public reads', async () => {
    const code = async (method: string, path: string, headers = identity()) =>
      (await httpCall(harness.url, method, path, { headers, ...(method === 'POST' ? { body: {} } : {}) })).body.code

    assert.equal(await code('POST', '/api/gigs'), 'SIGNATURE_REQUIRED')
    assert.equal(await code('GET', `/api/agents/${agent.agentId}/treasury/balance`), 'SIGNATURE_REQUIRED')
    assert.equal(await code('GET', `/api/agents/${agent.agentId}/messages`), 'SIGNATURE_REQUIRED')
    assert.equal(await code('GET', `/api/agents/${agent.agentId}/messages/${randomUUID()}`), 'SIGNATURE_REQUIRED')
    assert.equal(await code('GET', '/api/agents'), undefined)
    assert.equal(await code('POST', '/api/register-agent', {} as ReturnType<typeof identity>), undefined)
  })

  it('are needed as soon as an agent is named, also where nobody has to be: its money and its private fields are at stake', async () => {
    const gig = `/api/gigs/${randomUUID()}`
    const fund = '/api/agent-payments/fund-escrow'
    const body = JSON.stringify({ gigId: randomUUID(), agentId: agent.agentId, amount: 10 })
    const calls = [
      ['GET', gig, undefined],
      ['GET', `${gig}/comments`, undefined],
      ['POST', fund, body],
    ] as const
    for (const [method, path, raw] of calls) {
      const call = (headers: Record<string, string>) => httpCall(harness.url, method, path, { headers, ...(raw ? { raw } : {}) })

      const unsigned = await call(identity())
      const nameless = await call({})
      const vouched = await call(await signed({ method, path, ...(raw ? { body: raw } : {}) }))

      assert.deepEqual([unsigned.status, unsigned.body.code], [401, 'SIGNATURE_REQUIRED'], path)
      assert.deepEqual([nameless.status, nameless.body.context.agent], [200, undefined], path)
      assert.deepEqual([vouched.status, vouched.body.context.agent.agentId], [200, agent.agentId], path)
    }
    const byId = await httpCall(harness.url, 'GET', gig, { headers: { 'x-agent-id': agent.agentId } })
    assert.equal(byId.body.code, 'SIGNATURE_REQUIRED')
  })

  it('are not required where the answer is the same for all in signed mode: the check of a name', async () => {
    const answer = await httpCall(harness.url, 'POST', '/api/domains/check', { headers: identity(), body: { name: 'some', tld: 'molt' } })

    assert.deepEqual([answer.status, answer.body.context.agent], [200, undefined])
  })

  it('count once: the same again is a replay', async () => {
    const headers = await signed({ body: '{}' })

    assert.equal((await httpCall(harness.url, 'POST', '/api/gigs', { headers, raw: '{}' })).status, 200)
    const again = await httpCall(harness.url, 'POST', '/api/gigs', { headers, raw: '{}' })

    assert.deepEqual([again.status, again.body.code], [401, 'SIGNATURE_REPLAYED'])
  })

  it('count once when they come at the same time', async () => {
    const headers = await signed({ body: '{}' })
    const answers = await Promise.all(Array.from({ length: 8 }, () => httpCall(harness.url, 'POST', '/api/gigs', { headers, raw: '{}' })))

    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  type Broken = [what: string, make: () => Promise<{ headers: Record<string, string>; path?: string; method?: string; body?: string }>, code: string]
  const broken: Broken[] = [
    ['another body', async () => ({ headers: await signed({ body: '{"a":1}' }), body: '{"a":2}' }), 'SIGNATURE_INVALID'],
    ['another path', async () => ({ headers: await signed({ body: '{}' }), path: '/api/crews' }), 'SIGNATURE_INVALID'],
    ['another query', async () => ({ headers: await signed({ path: '/api/gigs?a=1', body: '{}' }), path: '/api/gigs?a=2' }), 'SIGNATURE_INVALID'],
    ['a query that was not there', async () => ({ headers: await signed({ body: '{}' }), path: '/api/gigs?a=2' }), 'SIGNATURE_INVALID'],
    [
      'an unknown agent',
      async () => ({ headers: { ...(await signed({ body: '{}', headers: {} })), 'x-agent-id': randomUUID() } }),
      'IDENTITY_INVALID',
    ],
    [
      'the id of another agent',
      async () => ({ headers: { ...(await signed({ body: '{}', headers: {} })), 'x-agent-id': harness.agent().agentId } }),
      'SIGNATURE_INVALID',
    ],
    [
      'the wallet of another agent',
      async () => ({ headers: { ...(await signed({ body: '{}', headers: {} })), 'x-wallet-address': harness.agent().wallet } }),
      'SIGNATURE_INVALID',
    ],
    ["a stranger's key", async () => ({ headers: await signed({ body: '{}', signer: Wallet.createRandom() }) }), 'SIGNATURE_INVALID'],
    ['another chain', async () => ({ headers: await signed({ body: '{}', chainId: 1 }) }), 'SIGNATURE_INVALID'],
    ['no nonce', async () => ({ headers: await signed({ body: '{}', options: { replay: 'replayable' } }) }), 'SIGNATURE_INVALID'],
    ['too long a window', async () => ({ headers: await signed({ body: '{}', options: { ttlSeconds: 301 } }) }), 'SIGNATURE_INVALID'],
    ['a window that has passed', async () => ({ headers: await signed({ body: '{}', options: window(-100, -10) }) }), 'SIGNATURE_EXPIRED'],
    ['a window to come', async () => ({ headers: await signed({ body: '{}', options: window(60, 120) }) }), 'SIGNATURE_INVALID'],
    ['a label in one header only', async () => ({ headers: { ...(await signed({ body: '{}' })), signature: 'sig1=:AAAA:' } }), 'SIGNATURE_INVALID'],
    ['no signature beside its input', async () => ({ headers: { ...(await signed({ body: '{}' })), signature: '' } }), 'SIGNATURE_INVALID'],
    ['nonsense', async () => ({ headers: { ...identity(), 'signature-input': 'eth=();;', signature: 'eth=:AA==:' } }), 'SIGNATURE_INVALID'],
  ]
  for (const [what, make, code] of broken)
    it(`are refused with ${what}: ${code}`, async () => {
      const { headers, path = '/api/gigs', method = 'POST', body = '{}' } = await make()

      const answer = await httpCall(harness.url, method, path, { headers, raw: body })

      assert.deepEqual([answer.status, answer.body.code], [401, code], JSON.stringify(answer.body))
    })

  it('are refused when they were made for another host', async () => {
    const request = await signRequest(
      'https://other.example/api/gigs',
      { method: 'POST', headers: { ...identity(), 'content-type': 'application/json' }, body: '{}' },
      { address: wallet.address as `0x${string}`, chainId: 84532, signMessage: async m => (await wallet.signMessage(m)) as `0x${string}` },
      { components: ['x-agent-id'] },
    )
    const answer = await httpCall(harness.url, 'POST', '/api/gigs', { headers: Object.fromEntries(request.headers), raw: '{}' })

    assert.deepEqual([answer.status, answer.body.code], [401, 'SIGNATURE_INVALID'])
  })

  it('name their agent by themselves: clients need no identity headers', async () => {
    const calls = [
      ['POST', '/api/gigs', '{"title":"x"}'],
      ['GET', `/api/agents/${agent.agentId}/treasury/balance`, undefined],
      ['POST', `/api/escrow/dispute`, '{}'],
      ['GET', `/api/gigs/${randomUUID()}`, undefined],
    ] as const
    for (const [method, path, body] of calls) {
      const headers = await signed({ method, path, headers: {}, options: { label: 'sig1' }, ...(body ? { body } : {}) })
      const answer = await httpCall(harness.url, method, path, { headers, ...(body ? { raw: body } : {}) })

      assert.deepEqual([answer.status, answer.body.context?.agent?.agentId], [200, agent.agentId], `${path} ${JSON.stringify(answer.body)}`)
    }
    const asAdmin = '/api/admin/dead-letters'
    const byKey = await httpCall(harness.url, 'GET', asAdmin, { headers: await signed({ signer: admin, method: 'GET', path: asAdmin, headers: {} }) })
    assert.equal(byKey.status, 200, JSON.stringify(byKey.body))
  })

  it('by an admin have its power on its own routes, elsewhere only with its header', async () => {
    const path = `/api/escrow/release`
    const headers = await signed({ signer: admin, path, body: '{}', headers: {} })
    const silent = await httpCall(harness.url, 'POST', path, { headers, raw: '{}' })
    const named = await httpCall(harness.url, 'POST', path, {
      headers: await signed({ signer: admin, path, body: '{}', headers: { 'x-admin-wallet': admin.address } }),
      raw: '{}',
    })

    assert.deepEqual([silent.status, silent.body.code], [401, 'IDENTITY_INVALID'])
    assert.deepEqual([named.status, named.body.context.admin.wallet], [200, admin.address])
  })

  it('by a wallet that is of no agent admit nobody', async () => {
    const stranger = Wallet.createRandom()
    const answer = await httpCall(harness.url, 'POST', '/api/gigs', {
      headers: await signed({ signer: stranger, body: '{}', headers: {} }),
      raw: '{}',
    })

    assert.deepEqual([answer.status, answer.body.code], [401, 'IDENTITY_INVALID'])
  })

  it('are refused with a header that names somebody else, also on routes that need no such header', async () => {
    const other = harness.agent()
    const named: Record<string, string>[] = [
      { 'x-agent-id': other.agentId },
      { 'x-wallet-address': other.wallet },
      { 'x-admin-wallet': other.wallet },
    ]
    const calls = [
      [wallet, 'POST', '/api/gigs'],
      [wallet, 'GET', '/api/agents'],
      [admin, 'GET', '/api/admin/dead-letters'],
      [admin, 'POST', '/api/escrow/admin-resolve'],
    ] as const
    for (const [signer, method, path] of calls)
      for (const header of named) {
        const body = method === 'POST' ? '{}' : undefined
        const sent = { ...(await signed({ signer, method, path, headers: {}, ...(body ? { body } : {}) })), ...header }
        const answer = await httpCall(harness.url, method, path, { headers: sent, ...(body ? { raw: body } : {}) })

        const codes = 'x-admin-wallet' in header && signer === admin ? ['NOT_ADMIN'] : ['SIGNATURE_INVALID']
        assert.deepEqual([answer.body.code], codes, `${method} ${path} with ${Object.keys(header)}`)
      }
  })

  it('are found among the signatures of others', async () => {
    const { signature, 'signature-input': input, ...headers } = await signed({ body: '{}', headers: {} })
    const both = {
      ...headers,
      'signature-input': `proxy=("@method");created=1;keyid="other";alg="ed25519", ${input}`,
      signature: `proxy=:AAAA:, ${signature}`,
    }
    const answer = await httpCall(harness.url, 'POST', '/api/gigs', { headers: both, raw: '{}' })

    assert.deepEqual([answer.status, answer.body.context.agent.agentId], [200, agent.agentId])
  })

  describe('by contract wallets', () => {
    const notByKey = async (change: Change) => ({ ...(await signed(change)), signature: (await signed(change)).signature! })
    before(() => {
      harness.upstream.contractAccepts = true
    })
    after(() => {
      harness.upstream.contractAccepts = false
    })

    it("count when the contract says so, on the agent's own network only", async () => {
      const own = await httpCall(harness.url, 'POST', '/api/gigs', { headers: await notByKey({ body: '{}' }), raw: '{}' })
      const elsewhere = await httpCall(harness.url, 'POST', '/api/gigs', { headers: await notByKey({ body: '{}', chainId: 324705682 }), raw: '{}' })

      assert.equal(own.status, 200, JSON.stringify(own.body))
      assert.deepEqual([elsewhere.status, elsewhere.body.code], [401, 'SIGNATURE_INVALID'])
    })

    it('count for an admin on the first network only', async () => {
      const path = '/api/admin/dead-letters'
      const call = async (chainId: number) => {
        const headers: Record<string, string> = await notByKey({ signer: Wallet.createRandom(), method: 'GET', path, headers: {}, chainId })
        headers['signature-input'] = headers['signature-input']!.replace(
          /erc8128:\d+:0x[0-9a-fA-F]{40}/,
          `erc8128:${chainId}:${admin.address.toLowerCase()}`,
        )
        return (await httpCall(harness.url, 'GET', path, { headers })).status
      }

      assert.deepEqual([await call(84532), await call(324705682)], [200, 401])
    })

    it('count for a registration of that wallet, and for nobody who is unknown', async () => {
      const signer = Wallet.createRandom()
      const path = '/api/register-agent'
      const body = JSON.stringify({ walletAddress: signer.address })
      const registered = await httpCall(harness.url, 'POST', path, { headers: await notByKey({ signer, path, body, headers: {} }), raw: body })
      const other = await httpCall(harness.url, 'POST', path, { headers: await notByKey({ signer, path, body: '{}', headers: {} }), raw: '{}' })

      assert.deepEqual([registered.status, registered.body.context.signedBy], [200, signer.address])
      assert.deepEqual([other.status, other.body.code], [401, 'SIGNATURE_INVALID'])
    })

    it('are read of the chain for few requests of one IPv6 site, whichever of its addresses they come from', async () => {
      const one = await startHarness({ AUTH_MODE: 'signed', TRUSTED_PROXIES: '127.0.0.1' })
      try {
        const headers = await notByKey({ body: '{}', headers: {} })
        const call = async (address: string) => {
          const from = { ...headers, 'x-forwarded-for': address }
          return (await httpCall(one.url, 'POST', '/api/gigs', { headers: from, raw: '{}' })).body.code
        }
        for (let i = 0; i < 30; i++) assert.equal(await call(`2001:db8::${i}`), 'SIGNATURE_INVALID')

        assert.equal(await call('2001:db8:0:1::1'), 'RATE_LIMITED')
        assert.equal(await call('2001:db8:1::1'), 'SIGNATURE_INVALID')
      } finally {
        await one.close()
      }
    })

    it('are read of the chain for few requests of one address, never for a stranger', async () => {
      const one = await startHarness({ AUTH_MODE: 'signed' })
      try {
        const headers = await notByKey({ body: '{}', headers: {} })
        const answers = []
        for (let i = 0; i < 40; i++) answers.push((await httpCall(one.url, 'POST', '/api/gigs', { headers, raw: '{}' })).body.code)

        assert.equal(one.upstream.contractQuestions, 0)
        assert.ok(
          answers.slice(30).every(code => code === 'RATE_LIMITED'),
          String(answers),
        )
      } finally {
        await one.close()
      }
    })
  })

  it('admit an admin by wallet, and nobody by header alone', async () => {
    const path = '/api/admin/dead-letters'
    const headers = { 'x-admin-wallet': admin.address }
    const asAdmin = await httpCall(harness.url, 'GET', path, { headers: await signed({ signer: admin, method: 'GET', path, headers }) })
    const asOther = await httpCall(harness.url, 'GET', path, { headers: await signed({ signer: wallet, method: 'GET', path, headers }) })
    const alone = await httpCall(harness.url, 'GET', path, { headers })

    assert.deepEqual([asAdmin.status, asOther.body.code, alone.body.code], [200, 'SIGNATURE_INVALID', 'SIGNATURE_REQUIRED'])
  })

  it("of another wallet than the named admin's are refused before body, nonce and contracts are read", async () => {
    const path = '/api/admin/invites'
    const headers = await signed({ signer: wallet, path, body: '{}', headers: { 'x-admin-wallet': admin.address } as never })
    const answers = []
    for (let i = 0; i < 2; i++)
      answers.push(await httpCall(harness.url, 'POST', path, { headers: { ...headers, signature: 'eth=:AAAA:' }, raw: '{"a":1}' }))

    for (const { status, body } of answers)
      assert.deepEqual([status, body.code, body.message], [401, 'SIGNATURE_INVALID', 'The signature is not by the wallet that the headers name'])
  })

  it('of nobody but the agent of the path read its messages, also with the headers of that agent', async () => {
    const [third, paths] = [Wallet.createRandom(), [`/api/agents/${agent.agentId}/messages/${randomUUID()}`, `/api/agents/${agent.agentId}/messages`]]
    const stranger = harness.agent({ wallet: third.address })
    for (const path of paths) {
      const get = async (headers: Record<string, string>) => httpCall(harness.url, 'GET', path, { headers })
      const by = (signer: HDNodeWallet, headers: Record<string, string>) => signed({ signer, path, method: 'GET', headers }).then(get)
      const claimed = { ...identity() }
      const answers = [
        await get({}),
        await get(claimed),
        await by(third, {}),
        await by(third, { 'x-agent-id': stranger.agentId }),
        await by(third, claimed),
        await by(admin, { 'x-admin-wallet': admin.address }),
        await by(admin, claimed),
      ]
      assert.deepEqual(
        answers.map(({ status, body: { code } }) => [status, code]),
        [
          [401, 'AUTH_REQUIRED'],
          [401, 'SIGNATURE_REQUIRED'],
          [403, 'FORBIDDEN'],
          [403, 'FORBIDDEN'],
          [401, 'SIGNATURE_INVALID'],
          [401, 'IDENTITY_INVALID'],
          [401, 'SIGNATURE_INVALID'],
        ],
        path,
      )
      assert.equal((await by(wallet, {})).status, 200)
    }
  })

  it('of a syncing agent name the caller to the service', async () => {
    const path = '/api/reputation/sync'
    const body = JSON.stringify({ agentId: agent.agentId })
    const answer = await httpCall(harness.url, 'POST', path, { headers: await signed({ path, body }), raw: body })
    const nobody = await httpCall(harness.url, 'POST', path, { raw: body })

    assert.deepEqual([answer.status, answer.body.context.agent.agentId], [200, agent.agentId])
    assert.deepEqual([nobody.status, nobody.body.code], [401, 'AUTH_REQUIRED'])
  })

  it("prove the wallet at registration, and hold writes of a signed class to the caller's own path", async () => {
    const registration = await httpCall(harness.url, 'POST', '/api/register-agent', {
      headers: await signed({ path: '/api/register-agent', body: '{}', headers: {} as ReturnType<typeof identity> }),
      raw: '{}',
    })
    const path = `/api/agents/${randomUUID()}/sync-to-skale`
    const foreign = await httpCall(harness.url, 'POST', path, { headers: await signed({ path, body: '{}' }), raw: '{}' })

    assert.equal(registration.body.context.signedBy, wallet.address)
    assert.deepEqual([foreign.status, foreign.body.code], [403, 'FORBIDDEN'])
  })

  it('are checked in plain mode too, when they are sent', async () => {
    const plain = await startHarness()
    try {
      const agent = plain.agent()
      const headers = {
        'x-agent-id': agent.agentId,
        'x-wallet-address': agent.wallet,
        'signature-input': 'eth=("@path");created=1',
        signature: 'eth=:AAAA:',
      }
      const answer = await plain.call('POST', '/api/gigs', { headers, body: {} })

      assert.deepEqual([answer.status, answer.body.code], [401, 'SIGNATURE_INVALID'])
    } finally {
      await plain.close()
    }
  })
})

function window(from: number, to: number): SignOptions {
  const now = Math.floor(Date.now() / 1000)
  return { created: now + from, expires: now + to }
}
