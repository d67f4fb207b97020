import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readConfig } from '@carapace/service'
import { reputationCredential } from './document.ts'
import { type Issuer, issuerSource } from './issuer.ts'
import { asJwt, faultOf, fromJwt, secured } from './proof.ts'

describe('an issuer that exchanges its key', () => {
  const baseUrl = 'http://127.0.0.1:3000'
  let folder: string
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carapace-issuer-'))
  })
  after(() => rm(folder, { recursive: true }))

  const issuer = (key: string, accepted = ''): Promise<Issuer> =>
    issuerSource(readConfig({ ISSUER_KEY_FILE: path.join(folder, `${key}.json`), ISSUER_KEYS_ACCEPTED: accepted }), baseUrl)()

  const components = { gigPerformance: 0, bondReliability: 0, onChainBehaviour: 0, ecosystemSignals: 0 }
  const claims = {
    agentId: 'a',
    handle: 'a',
    wallet: `0x${'1'.repeat(40)}`,
    chain: 'BASE_SEPOLIA',
    fusedScore: 1,
    tier: 'NOVICE',
    components,
  } as const
  const draft = ({ did }: Issuer) => reputationCredential({ ...claims, statusIndex: 0, erc8004: [] }, crypto.randomUUID(), did, baseUrl, new Date())
  /** Whether a credential of one, in either form, holds for the other. */
  const holds = async (by: Issuer, at: Issuer): Promise<[proof: boolean, jwt: boolean]> => {
    const credential = draft(by)
    const signed = (await secured(by, credential)) as typeof credential & { proof: object }
    return [(await faultOf(at, signed)) === undefined, (await fromJwt(at, await asJwt(by, credential))) !== undefined]
  }

  it('issues and accepts credentials in each step, next to processes that have yet to make it', async () => {
    const [former, next] = [await issuer('former'), await issuer('next')]
    const steps = [former, await issuer('former', next.publicKeyMultibase), await issuer('next', former.publicKeyMultibase)]

    for (const [n, step] of steps.entries())
      for (const other of [step, steps[n - 1] ?? step]) {
        assert.deepEqual(await holds(step, other), [true, true], `step ${n}`)
        assert.deepEqual(await holds(other, step), [true, true], `step ${n}`)
      }
    assert.deepEqual(await holds(former, next), [false, false])
    assert.deepEqual(await holds(former, steps[2]!), [true, true], 'what the former key signed holds until it expires')
  })

  it('shows strangers the keys that hold', async () => {
    const [former, next] = [await issuer('former'), await issuer('next')]

    const { didDocument } = await issuer('next', former.publicKeyMultibase)

    const ids = [next, former].flatMap(({ keyId, jwkId }) => [keyId, jwkId])
    assert.deepEqual(didDocument.assertionMethod, ids)
    assert.deepEqual(
      didDocument.verificationMethod.map(({ id }) => id),
      ids,
    )
    assert.doesNotMatch(JSON.stringify(didDocument), /secret|"d"/)
  })

  it('refuses to start with an accepted key that is none', () => {
    assert.throws(() => readConfig({ ISSUER_KEYS_ACCEPTED: 'zDnKey' }), /^Error: ISSUER_KEYS_ACCEPTED must be publicKeyMultibase/)
  })
})
