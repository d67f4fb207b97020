import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
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

  it('are needed by writes and private reads, not by public reads', async () => {
    const code = async (method: string, path: string, headers = identity()) =>
      (await httpCall(harness.url, method, path, { headers, ...(method === 'POST' ? { body: {} } : {}) })).body.code

    assert.equal(await code('POST', '/api/gigs'), 'SIGNATURE_REQUIRED')
    assert.equal(await code('GET', `/api/agents/${agent.agentId}/treasury/balance`), 'SIGNATURE_REQUIRED')
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
    ['another agent', async () => ({ headers: { ...(await signed({ body: '{}' })), 'x-agent-id': randomUUID() } }), 'SIGNATURE_INVALID'],
    ['an added idempotency key', async () => ({ headers: { ...(await signed({ body: '{}' })), 'idempotency-key': 'k' } }), 'SIGNATURE_INVALID'],
    ['an agent id that is not covered', async () => ({ headers: await signed({ body: '{}', options: { components: [] } }) }), 'SIGNATURE_INVALID'],
    ["a stranger's key", async () => ({ headers: await signed({ body: '{}', signer: Wallet.createRandom() }) }), 'SIGNATURE_INVALID'],
    ['another chain', async () => ({ headers: await signed({ body: '{}', chainId: 1 }) }), 'SIGNATURE_INVALID'],
    ['no nonce', async () => ({ headers: await signed({ body: '{}', options: { replay: 'replayable' } }) }), 'SIGNATURE_INVALID'],
    ['too long a window', async () => ({ headers: await signed({ body: '{}', options: { ttlSeconds: 301 } }) }), 'SIGNATURE_INVALID'],
    ['a window that has passed', async () => ({ headers: await signed({ body: '{}', options: window(-100, -10) }) }), 'SIGNATURE_EXPIRED'],
    ['a window to come', async () => ({ headers: await signed({ body: '{}', options: window(60, 120) }) }), 'SIGNATURE_INVALID'],
    ['another label', async () => ({ headers: await signed({ body: '{}', options: { label: 'sig1' } }) }), 'SIGNATURE_INVALID'],
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

  it('of a contract wallet count when the contract says so', async () => {
    const headers = await signed({ body: '{}' })
    const other = await signed({ body: '{}' })
    const byContract = { ...headers, signature: other.signature! }

    harness.upstream.contractAccepts = true
    const accepted = await httpCall(harness.url, 'POST', '/api/gigs', { headers: byContract, raw: '{}' })
    harness.upstream.contractAccepts = false

    assert.equal(accepted.status, 200, JSON.stringify(accepted.body))
  })

  it('admit an admin by wallet, and nobody by header alone', async () => {
    const path = '/api/admin/dead-letters'
    const headers = { 'x-admin-wallet': admin.address }
    const asAdmin = await httpCall(harness.url, 'GET', path, { headers: await signed({ signer: admin, method: 'GET', path, headers }) })
    const asOther = await httpCall(harness.url, 'GET', path, { headers: await signed({ signer: wallet, method: 'GET', path, headers }) })
    const alone = await httpCall(harness.url, 'GET', path, { headers })

    assert.deepEqual([asAdmin.status, asOther.body.code, alone.body.code], [200, 'SIGNATURE_INVALID', 'SIGNATURE_REQUIRED'])
  })

  it("of another wallet than the named admin's are refused before body, nonce and contracts are looked at", async () => {
    const path = '/api/admin/invites'
    const headers = await signed({ signer: wallet, path, body: '{}', headers: { 'x-admin-wallet': admin.address } as never })
    const answers = []
    for (let i = 0; i < 2; i++)
      answers.push(await httpCall(harness.url, 'POST', path, { headers: { ...headers, signature: 'eth=:AAAA:' }, raw: '{"a":1}' }))

    for (const { status, body } of answers)
      assert.deepEqual([status, body.code, body.message], [401, 'SIGNATURE_INVALID', 'The signature is not by the wallet that the headers name'])
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
      const known = plain.agent()
      const headers = {
        'x-agent-id': known.agentId,
        'x-wallet-address': known.wallet,
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
