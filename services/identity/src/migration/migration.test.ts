import assert from 'node:assert/strict'
import { until } from '@carapace/testing'
import { Wallet } from 'ethers'
import { type Harness, startHarness, type TestAgent } from '../testing/harness.ts'
import { settledOnce } from '../testing/reputation.ts'
import { migrationTypedData } from './consent.ts'

describe('migration', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const evidence = 'https://example.org/it-is-me'
  const inherit = (target: TestAgent, sourceAgentId: string, more: object = {}) =>
    harness.call('POST', `/api/agents/${target.id}/inherit-reputation`, { body: { sourceAgentId, evidence, ...more }, headers: target.headers })
  const consent = (source: TestAgent, target: TestAgent) =>
    harness.call('POST', `/api/agents/${target.id}/inherit-reputation`, { body: { targetAgentId: target.id }, headers: source.headers })
  const statusOf = async (agent: TestAgent) => (await harness.call('GET', `/api/agents/${agent.id}/migration-status`)).body
  const pair = async () => [await harness.agent(), await harness.agent()] as const

  it('waits for the source, and moves the reputation when it agrees', async () => {
    const [source, target] = await pair()

    const requested = await inherit(target, source.id)
    const repeated = await inherit(target, source.id)
    assert.deepEqual([requested.status, requested.body.migration.status], [202, 'pending'])
    assert.equal(repeated.body.migration.id, requested.body.migration.id)
    const agreed = await consent(source, target)

    assert.deepEqual([agreed.status, agreed.body.migration.status], [200, 'completed'])
    assert.deepEqual([(await statusOf(source)).direction, (await statusOf(target)).direction], ['source', 'target'])
    assert.equal((await statusOf(target)).hasMigrated, true)
    assert.equal((await harness.call('GET', `/api/agents/${source.id}`)).body.status, 'migrated')
    assert.equal((await inherit(await harness.agent(), source.id)).status, 409)
    assert.equal((await inherit(target, (await harness.agent()).id)).status, 409)
  })

  it('is done immediately with the signature of the wallet of the source, and with no other', async () => {
    const wallet = Wallet.createRandom()
    const source = await harness.agent({ walletAddress: wallet.address })
    const target = await harness.agent()
    const deadline = Math.floor(Date.now() / 1000) + 600
    const { domain, types, message } = migrationTypedData({ id: source.id, preferredChain: 'BASE_SEPOLIA' }, target, deadline)
    const signature = await wallet.signTypedData(domain, types, message)

    const late = await inherit(target, source.id, { sourceSignature: { signature, deadline: 1 } })
    assert.deepEqual([late.status, late.body.code], [401, 'SIGNATURE_INVALID'])
    const done = await inherit(target, source.id, { sourceSignature: { signature, deadline } })
    assert.deepEqual([done.status, done.body.migration.status], [200, 'completed'])
  })

  it('goes to one target only, of two that consent at the same time', async () => {
    const source = await harness.agent()
    const targets = [await harness.agent(), await harness.agent()]
    for (const target of targets) assert.equal((await inherit(target, source.id)).status, 202)

    const answers = await Promise.all(targets.map(target => consent(source, target)))

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  })

  it('refuses oneself, targets with settled work or of old age, unknown agents and claims for others', async () => {
    const [source, target] = await pair()
    assert.deepEqual([(await inherit(target, target.id)).status, (await inherit(target, crypto.randomUUID())).status], [400, 404])
    const foreign = await harness.call('POST', `/api/agents/${target.id}/inherit-reputation`, {
      body: { sourceAgentId: source.id, evidence },
      headers: source.headers,
    })
    assert.equal(foreign.status, 403)
    harness.scores.set(target.id, settledOnce(target.id))
    assert.equal((await inherit(target, source.id)).body.code, 'INVALID_STATE')
  })

  it('can be approved or rejected by an admin, once', async () => {
    const headers = { 'x-admin-wallet': '0x00000000000000000000000000000000000000aa' }
    for (const [approve, status] of [
      [true, 'completed'],
      [false, 'rejected'],
    ] as const) {
      const [source, target] = await pair()
      const { id } = (await inherit(target, source.id)).body.migration
      const resolve = (yes: boolean) => harness.call('POST', `/api/admin/migrations/${id}/resolve`, { body: { approve: yes }, headers })

      const listed = async () => {
        const { migrations } = (await harness.call('GET', '/api/admin/migrations?limit=100', { headers })).body
        return migrations.find((one: { id: string }) => one.id === id)
      }
      const waiting = await listed()
      assert.deepEqual([waiting.sourceHandle, waiting.targetHandle, waiting.evidence], [source.handle, target.handle, evidence])
      assert.equal((await resolve(approve)).body.migration.status, status)
      assert.equal(await listed(), undefined)
      assert.equal((await resolve(!approve)).body.code, 'INVALID_STATE')
      if (!approve) assert.equal((await inherit(target, source.id)).status, 202)
    }
  })

  it('shows its evidence to those who decide, and nowhere else', async () => {
    const [source, target] = await pair()
    const requested = await inherit(target, source.id)

    const asParty = (agent: TestAgent) => harness.call('GET', `/api/agents/${agent.id}/migration-status`, { headers: agent.headers })
    const shown = [requested.body, await statusOf(source), await statusOf(target), (await asParty(source)).body, (await asParty(target)).body]

    for (const { migration } of shown) assert.deepEqual([migration.id, 'evidence' in migration], [requested.body.migration.id, false])
    assert.equal('evidence' in (await consent(source, target)).body.migration, false)
  })

  it('ends after seven days without consent, and frees the target', async () => {
    const [source, target] = await pair()
    await inherit(target, source.id)

    await harness.platform.advance(7 * 86_400 + 1)

    await until('it ran out', async () => (await statusOf(target)).migration.status === 'expired')
    assert.equal((await consent(source, target)).status, 404)
    await until('the target is free', async () => (await inherit(target, source.id)).status === 202)
  })
})
