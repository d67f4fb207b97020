import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { until } from '@carapace/testing'
import { Wallet } from 'ethers'
import { type Harness, startHarness, type TestAgent } from '../testing/harness.ts'
import { settledOnce } from '../testing/reputation.ts'
import { migrationTypedData } from './consent.ts'
import { migrationStore } from './migration.store.ts'
import { propose } from './migration.ts'

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
  const agentStatusOf = async ({ id }: TestAgent) => (await harness.call('GET', `/api/agents/${id}`)).body.status
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

  it('is rejected where the target has begun to work, or was suspended, since its claim', async () => {
    const admin = { 'x-admin-wallet': '0x00000000000000000000000000000000000000aa' }
    const suspend = ({ id }: TestAgent) =>
      harness.call('POST', `/api/admin/agents/${id}/suspend`, { body: { suspended: true, reason: 'spam' }, headers: admin })
    for (const disqualify of [suspend, ({ id }: TestAgent) => harness.scores.set(id, settledOnce(id))]) {
      const [source, target] = await pair()
      await inherit(target, source.id)
      await disqualify(target)

      const agreed = await consent(source, target)

      assert.deepEqual([agreed.status, agreed.body.code], [409, 'INVALID_STATE'])
      assert.deepEqual([(await statusOf(target)).migration.status, await agentStatusOf(source)], ['rejected', 'active'])
      assert.equal((await inherit(await harness.agent(), source.id)).status, 202)
    }
  })

  it('goes on where the target has become too old since its claim', async () => {
    const [source, target] = await pair()
    await harness.platform.advance(29.9 * 86_400)
    await inherit(target, source.id)
    await harness.platform.advance(86_400)

    assert.equal((await consent(source, target)).body.migration.status, 'completed')
  })

  it('joins no target that has another claim: one that a crash left open without its target ends rejected', async () => {
    const [source, target] = await pair()
    const stranger = await harness.agent()
    await inherit(target, source.id)
    const { db, clock } = harness.platform.service('identity').platform
    await migrationStore(db).create(propose(randomUUID(), stranger.id, target.id, evidence, clock.now()), [])

    const second = await consent(stranger, target)

    assert.deepEqual([second.status, await agentStatusOf(stranger)], [409, 'active'])
    assert.equal((await consent(source, target)).body.migration.status, 'completed')
  })

  it('completes a claim that a crash left open without its target', async () => {
    const [source, target] = await pair()
    const { db, clock } = harness.platform.service('identity').platform
    await migrationStore(db).create(propose(randomUUID(), source.id, target.id, evidence, clock.now()), [])

    assert.equal((await consent(source, target)).body.migration.status, 'completed')
    assert.equal((await inherit(target, (await harness.agent()).id)).status, 409)
  })

  it('is one at most of those that a target claims at the same time', async () => {
    const target = await harness.agent()
    const sources = await Promise.all([1, 2, 3].map(() => harness.agent()))

    const claims = await Promise.all(sources.map(source => inherit(target, source.id)))
    const agreed = await Promise.all(sources.map(source => consent(source, target)))

    assert.deepEqual(claims.map(({ status }) => status).sort(), [202, 409, 409])
    assert.deepEqual(agreed.map(({ status }) => status).sort(), [200, 404, 404])
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
