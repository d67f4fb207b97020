import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { type Harness, startHarness, type TestAgent } from '../testing/harness.ts'
import { didOf } from './issuer.ts'

describe('credentials', () => {
  let harness: Harness
  let folder: string
  let agent: TestAgent
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carapace-issuer-'))
    harness = await startHarness({ env: { DATA_DIR: folder, PUBLIC_BASE_URL: 'http://127.0.0.1:3000' } })
    agent = await harness.agent()
  })
  after(async () => {
    await harness.close()
    await rm(folder, { recursive: true })
  })

  const issued = async () => (await harness.call('GET', `/api/agents/${agent.id}/credential`)).body
  const verify = async (credential: unknown) => (await harness.call('POST', '/api/credentials/verify', { body: { credential } })).body

  it('say what is known of the agent, for 24 hours, signed by the key of the did:web document', async () => {
    const { credential, issuedAt, expiresAt } = await issued()

    assert.deepEqual(credential.type, ['VerifiableCredential', 'AgentReputationCredential'])
    assert.equal(credential['@context'][0], 'https://www.w3.org/ns/credentials/v2')
    assert.equal(credential.issuer, 'did:web:127.0.0.1%3A3000')
    assert.equal(credential.credentialSubject.fusedScore, 15)
    assert.equal(credential.proof.cryptosuite, 'ecdsa-rdfc-2019')
    assert.equal(Date.parse(expiresAt) - Date.parse(issuedAt), 86_400_000)
    const { body } = await harness.call('GET', '/.well-known/did.json')
    assert.equal(body.verificationMethod[0].id, credential.proof.verificationMethod)
    const key = await stat(path.join(folder, 'keys', 'issuer.json'))
    assert.equal(key.mode & 0o077, 0)
  })

  it('verify as object and as JWT', async () => {
    const { credential } = await issued()
    const response = await fetch(`${harness.platform.url}/api/agents/${agent.id}/credential`, { headers: { accept: 'application/vc+jwt' } })
    const jwt = await response.text()
    assert.equal(response.headers.get('content-type'), 'application/vc+jwt')
    assert.equal(JSON.parse(Buffer.from(jwt.split('.')[0]!, 'base64url').toString()).typ, 'vc+jwt')

    for (const given of [credential, jwt]) {
      const verdict = await verify(given)
      assert.equal(verdict.valid, true, JSON.stringify(verdict))
      assert.equal(verdict.agentId, agent.id)
      assert.equal(verdict.scoreDrift, 0)
      assert.deepEqual(verdict.warnings, [])
    }
  })

  it('do not verify when anything in them was changed', async () => {
    const { credential } = await issued()
    const change = (path: string[], value: unknown) => {
      const copy = structuredClone(credential)
      const last = path.pop()!
      path.reduce((at, name) => at[name], copy)[last] = value
      return copy
    }
    const forged = [
      change(['credentialSubject', 'fusedScore'], 99),
      change(['credentialSubject', 'handle'], 'somebody'),
      change(['validUntil'], '2099-01-01T00:00:00Z'),
      change(['issuer'], 'did:web:evil.example'),
      change(['proof', 'proofValue'], credential.proof.proofValue.replace(/.$/, '1')),
      change(['proof', 'verificationMethod'], 'did:web:evil.example#key'),
      change(['@context'], ['https://www.w3.org/ns/credentials/v2', 'https://evil.example/context']),
      change(['credentialSubject', 'extra'], 1),
      { ...credential, proof: undefined },
      { ...credential, proof: [credential.proof, credential.proof] },
      {},
      'a.b.c',
    ]
    for (const given of forged) {
      const verdict = await verify(given)
      assert.equal(verdict.valid, false, JSON.stringify(given))
      assert.ok(verdict.errors.length > 0)
    }
  })

  it('of any JSON get an answer', async function () {
    this.timeout(20_000)
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), async given => {
        const { status } = await harness.call('POST', '/api/credentials/verify', { body: { credential: given } })
        assert.ok(status < 500)
      }),
      { numRuns: 100 },
    )
  })

  it('expire with the platform clock, and are void for a suspended agent', async () => {
    const { credential } = await issued()
    const admin = { 'x-admin-wallet': agent.wallet }
    const suspend = (suspended: boolean) =>
      harness.call('POST', `/api/admin/agents/${agent.id}/suspend`, { body: { suspended, reason: 'test' }, headers: admin })

    await suspend(true)
    assert.deepEqual((await verify(credential)).errors, ['The agent is suspended'])
    await suspend(false)
    assert.equal((await verify(credential)).valid, true)
    await harness.platform.advance(86_401)
    assert.deepEqual((await verify(credential)).errors, ['It has expired'])
  })

  it('name the host of the platform', () => {
    assert.equal(didOf('https://carapace.example'), 'did:web:carapace.example')
    assert.equal(didOf('https://carapace.example/a/b'), 'did:web:carapace.example:a:b')
  })
})
