import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { cryptosuite } from '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite'
import * as vc from '@digitalbazaar/vc'
import fc from 'fast-check'
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { type Harness, startHarness, type TestAgent } from '../testing/harness.ts'
import { didOf } from './issuer.ts'

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  return typeof value === 'object' && value !== null ? Object.entries(value).flatMap(([name, part]) => [name, ...namesIn(part)]) : []
}

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

  const pathOf = (url: string) => new URL(url).pathname
  const textOf = async (path: string, accept: string) => (await fetch(`${harness.platform.url}${path}`, { headers: { accept } })).text()
  /** As a verifier reads it: the bit of the entry in the list that the credential names. */
  const isRevoked = async ({ credentialStatus }: { credentialStatus: Record<string, string> }) => {
    const { body: list } = await harness.call('GET', pathOf(credentialStatus.statusListCredential!))
    const bits = gunzipSync(Buffer.from(list.credentialSubject.encodedList.slice(1), 'base64url'))
    assert.equal(bits.length * 8, 131_072)
    const index = Number(credentialStatus.statusListIndex)
    return ((bits[index >> 3]! >> (7 - (index & 7))) & 1) === 1
  }
  const servedDocuments = async (url: string) => {
    if (!url.startsWith('did:web:')) return vc.defaultDocumentLoader(url)
    const { body: document } = await harness.call('GET', '/.well-known/did.json')
    const method = document.verificationMethod.find(({ id }: { id: string }) => id === url)
    return { contextUrl: null, documentUrl: url, document: method ? { '@context': 'https://w3id.org/security/multikey/v1', ...method } : document }
  }

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

    for (const given of [credential, jwt]) {
      const verdict = await verify(given)
      assert.equal(verdict.valid, true, JSON.stringify(verdict))
      assert.equal(verdict.reason, null)
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
      change(
        ['proof', 'proofValue'],
        credential.proof.proofValue.replace(/.$/, (last: string) => (last === '1' ? '2' : '1')),
      ),
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
      assert.equal(verdict.reason, verdict.errors[0])
    }
  })

  it('of any JSON get an answer', async () => {
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
    assert.equal(await isRevoked(credential), true)
    await suspend(false)
    assert.deepEqual((await verify(credential)).errors, ['It was revoked'])
    assert.equal(await isRevoked(credential), true, 'a revocation is for good')
    const later = (await issued()).credential
    assert.deepEqual([(await verify(later)).valid, await isRevoked(later)], [true, false])
    await harness.platform.advance(86_401)
    assert.deepEqual((await verify(later)).errors, ['It has expired'])
  })

  it('verify with jose by the key and the issuer of the did:web document', async () => {
    const { verificationMethod, assertionMethod } = (await harness.call('GET', '/.well-known/did.json')).body
    const jwt = await textOf(`/api/agents/${agent.id}/credential`, 'application/vc+jwt')
    const { kid } = decodeProtectedHeader(jwt)
    const method = verificationMethod.find(({ id }: { id: string }) => id === kid)

    const { payload, protectedHeader } = await jwtVerify(jwt, await importJWK(method.publicKeyJwk), {
      issuer: 'did:web:127.0.0.1%3A3000',
      typ: 'vc+jwt',
    })

    assert.deepEqual([method.type, method.controller, assertionMethod.includes(kid)], ['JsonWebKey', payload.iss, true])
    assert.equal(protectedHeader.alg, 'ES256')
    assert.deepEqual([payload.issuer, 'vc' in payload], [payload.iss, false])
    assert.equal(method.publicKeyJwk.d, undefined)
  })

  it('verify with a library of linked data that reads nothing but what is served', async () => {
    const { credential } = await issued()
    const list = (await harness.call('GET', pathOf(credential.credentialStatus.statusListCredential))).body

    for (const document of [credential, list]) {
      const { verified, error } = await vc.verifyCredential({
        credential: document,
        suite: new DataIntegrityProof({ cryptosuite }),
        documentLoader: servedDocuments,
        now: new Date(document.validFrom),
        checkStatus: async () => ({ verified: !(await isRevoked(credential)) }),
      })
      assert.equal(verified, true, String(error?.errors?.[0] ?? error))
    }
  })

  it('of an agent that has migrated are revoked, and those of its successor are not', async () => {
    const [source, target] = [await harness.agent(), await harness.agent()]
    const credentialOf = async ({ id }: TestAgent) => (await harness.call('GET', `/api/agents/${id}/credential`)).body.credential
    const [before, successor] = [await credentialOf(source), await credentialOf(target)]
    const path = `/api/agents/${target.id}/inherit-reputation`
    const evidence = 'https://example.org/it-is-me'
    await harness.call('POST', path, { body: { sourceAgentId: source.id, evidence }, headers: target.headers })
    const agreed = await harness.call('POST', path, { body: { targetAgentId: target.id }, headers: source.headers })

    assert.equal(agreed.body.migration?.status, 'completed', JSON.stringify(agreed.body))
    assert.deepEqual((await verify(before)).errors, ['The agent is migrated'])
    assert.deepEqual([await isRevoked(before), await isRevoked(successor)], [true, false])
  })

  it('of a suspended agent are revoked in a signed list, and no others', async () => {
    const others = await Promise.all([harness.agent(), harness.agent(), harness.agent()])
    const credentialOf = async ({ id }: TestAgent) => (await harness.call('GET', `/api/agents/${id}/credential`)).body.credential
    const credentials = await Promise.all(others.map(credentialOf))
    await harness.call('POST', `/api/admin/agents/${others[1]!.id}/suspend`, {
      body: { suspended: true, reason: 'test' },
      headers: { 'x-admin-wallet': agent.wallet },
    })

    assert.deepEqual(await Promise.all(credentials.map(isRevoked)), [false, true, false])
    const { type, statusPurpose, statusListCredential } = credentials[0].credentialStatus
    assert.deepEqual([type, statusPurpose], ['BitstringStatusListEntry', 'revocation'])
    const jwt = await textOf(pathOf(statusListCredential), 'application/vc+jwt')
    const { body: list } = await harness.call('GET', pathOf(statusListCredential))
    const { body: did } = await harness.call('GET', '/.well-known/did.json')
    const { payload } = await jwtVerify(jwt, await importJWK(did.verificationMethod[1].publicKeyJwk), { issuer: list.issuer })
    assert.deepEqual([payload.credentialSubject, list.id], [list.credentialSubject, statusListCredential])
    assert.equal((await harness.call('GET', '/api/credentials/status/9')).status, 404)
    assert.equal((await harness.call('GET', '/api/credentials/status/x')).status, 400)
  })

  it('have no term that /vocab does not explain', async () => {
    const { credential } = await issued()
    const { '@graph': entries } = JSON.parse(await textOf('/vocab', 'application/ld+json'))
    const explained = new Set(entries.map((entry: { '@id': string }) => entry['@id']))
    const vocab = credential['@context'][1]['@vocab']

    assert.equal(pathOf(vocab), '/vocab')
    const names = [...namesIn(credential.credentialSubject), 'AgentReputationCredential']
    assert.deepEqual(
      names.filter(name => name !== 'id' && !explained.has(`${vocab}${name}`)),
      [],
    )
  })

  it('name the host of the platform', () => {
    assert.equal(didOf('https://carapace.example'), 'did:web:carapace.example')
    assert.equal(didOf('https://carapace.example/a/b'), 'did:web:carapace.example:a:b')
  })
})
