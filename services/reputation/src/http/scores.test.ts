import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { agentStatusChanged, slashRecorded } from '@carapace/api'
import { corrected, released, type TestAgent, until } from '@carapace/testing'
import { type Harness, newAgent, registeredOn, startHarness, stranger } from '../testing/harness.ts'

const statusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

describe('scores over HTTP', () => {
  let harness: Harness
  let agent: TestAgent
  before(async () => {
    harness = await startHarness()
    agent = await newAgent(harness)
  })
  after(() => harness.close())
  afterEach(() => {
    harness.chain = () => 'confirm'
  })

  const get = async (path: string) => (await harness.call('GET', path)).body
  const sync = (agentId: unknown, headers: Record<string, string> = {}) =>
    harness.call('POST', '/api/reputation/sync', { body: { agentId }, headers })
  const between = (poster: TestAgent, worker: TestAgent, gigId: string) => ({ gigId, posterId: poster.id, assigneeId: worker.id })
  const paid = (poster: TestAgent, worker: TestAgent, gigId = randomUUID()) => released(between(poster, worker, gigId))
  const publishEscrow = (
    poster: TestAgent,
    worker: TestAgent,
    gigId: string,
    status: 'locked' | 'released' | 'refunded',
    txHash: string | null = null,
  ) => corrected({ ...between(poster, worker, gigId), status, unpaid: status === 'refunded', txHash })
  const slashed = (agentId: string, slashId: string, status: 'FROZEN' | 'APPLIED') =>
    slashRecorded.of({
      ...{ slashId, agentId, gigId: null, gigTitle: null, gigBudget: null, validationId: null, amount: 2_000_000n, status, reason: 'late' },
      ...{ txHash: null, createdAt: new Date().toISOString(), changedAt: new Date().toISOString() },
    })

  it('begin at 15, by id and handle, whole or in brief', async () => {
    const full = await get(`/api/agents/${agent.id}/reputation`)
    const basic = await get(`/api/agents/${agent.handle}/reputation?view=basic`)

    assert.deepEqual([full.fusedScore, full.tier, full.history.length, full.penalty, full.decay], [15, 'Hatchling', 1, 0, 1])
    assert.deepEqual(basic, { agentId: agent.id, fusedScore: 15, tier: 'Hatchling' })
    assert.deepEqual(statusAndCode(await harness.call('GET', `/api/agents/${agent.id}/reputation?view=half`)), [400, 'VALIDATION_ERROR'])
  })

  it('rise by a paid gig, once however often it is published, and the log says why', async () => {
    const [poster, worker] = [await newAgent(harness), await newAgent(harness)]
    const gigId = randomUUID()
    await harness.platform.publish(paid(poster, worker, gigId))
    const risen = await until('the score has risen', async () => {
      const { fusedScore } = await get(`/api/agents/${worker.id}/reputation`)
      return fusedScore > 15 && fusedScore
    })

    const { events, total } = await get(`/api/audit?agentId=${worker.id}&type=settled`)

    assert.deepEqual([total, events[0].details.gigId, events[0].scoreBefore, events[0].scoreAfter], [1, gigId, 15, risen])
    assert.match(events[0].hash, /^[0-9a-fx]{64,66}$/)
    const all = (await get(`/api/audit?agentId=${worker.id}`)).events
    assert.ok(all.length >= 2)
    const row = (await get('/api/agents/leaderboard')).leaderboard.find((entry: { id: string }) => entry.id === worker.id)
    assert.deepEqual([row.fusedScore, row.totalGigsCompleted], [risen, 1])
  })

  it('count a payment that is made by another transaction, and lose one that is reversed for good, in any order of events', async () => {
    const [poster, worker, other] = [await newAgent(harness), await newAgent(harness), await newAgent(harness)]
    const [remade, lost, early] = [randomUUID(), randomUUID(), randomUUID()]
    const hash = `0x${'cd'.repeat(32)}`
    const standing = async ({ id }: TestAgent) => {
      const { fusedScore } = await get(`/api/agents/${id}/reputation`)
      const { events } = await get(`/api/audit?agentId=${id}`)
      return { fusedScore, types: events.map(({ type }: { type: string }) => type).sort() }
    }
    const rowOf = async ({ id }: TestAgent) =>
      (await get('/api/agents/leaderboard?limit=100')).leaderboard.find((row: { id: string }) => row.id === id)

    await harness.platform.publish(paid(poster, worker, remade), 5)
    await harness.platform.publish(publishEscrow(poster, worker, remade, 'locked'), 7)
    await harness.platform.publish(publishEscrow(poster, worker, remade, 'released', hash), 9)
    await until('the log names the other transaction', async () => (await standing(worker)).types.includes('settled_again'))
    const risen = await standing(worker)
    await harness.platform.publish(paid(poster, worker, lost), 5)
    await harness.platform.publish(publishEscrow(poster, worker, lost, 'refunded'), 9)
    await harness.platform.publish(publishEscrow(poster, other, early, 'refunded'), 9)
    await harness.platform.publish(paid(poster, other, early), 5)
    await until('the one is recorded', async () => (await standing(worker)).types.length === 5)
    await until('the late one is recorded', async () => (await standing(other)).types.length === 3)

    const proofs = (await get(`/api/audit?agentId=${worker.id}&type=settled_again`)).events.map(
      ({ proof }: { proof: { txHash: string } }) => proof.txHash,
    )
    const [fallen, never] = [await standing(worker), await standing(other)]
    assert.deepEqual(proofs, [hash])
    assert.ok(risen.fusedScore > 15)
    assert.deepEqual([fallen.fusedScore, never.fusedScore], [risen.fusedScore, 15])
    assert.deepEqual(fallen.types, ['registered', 'settled', 'settled', 'settled_again', 'settlement_undone'])
    assert.deepEqual([(await rowOf(worker)).totalGigsCompleted, (await rowOf(other)).totalGigsCompleted], [1, 0])
  })

  it('show a slash that its owner has made before its event comes, and none that nobody has', async () => {
    const slash = { id: randomUUID(), agentId: randomUUID(), gigId: null, validationId: null, amount: 2, reason: 'late' }
    const made = { ...slash, status: 'APPLIED' as const, scoreBefore: 15, scoreAfter: null, txHash: null, createdAt: new Date().toISOString() }
    harness.madeSlashes.set(slash.id, made)

    assert.deepEqual(await get(`/api/slashes/${slash.id}`), made)
    assert.equal((await harness.call('GET', `/api/slashes/${randomUUID()}`)).status, 404)
  })

  it('fall by a slash, which is listed with the score before and after', async () => {
    const victim = await newAgent(harness)
    const slashId = randomUUID()
    await harness.platform.publish(slashed(victim.id, slashId, 'FROZEN'), 1)
    await until('it is listed', async () => (await harness.call('GET', `/api/slashes/${slashId}`)).status === 200)
    assert.equal((await get(`/api/slashes/${slashId}`)).status, 'FROZEN')
    await harness.platform.publish(slashed(victim.id, slashId, 'APPLIED'), 2)
    await until('it is applied', async () => (await get(`/api/slashes/${slashId}`)).status === 'APPLIED')

    const row = await get(`/api/slashes/${slashId}`)
    const own = await get(`/api/slashes/agent/${victim.id}`)
    const all = await get('/api/slashes?limit=100')
    const risk = await get(`/api/risk/${victim.id}`)

    assert.ok(row.scoreAfter < row.scoreBefore, JSON.stringify(row))
    assert.deepEqual([own.total, own.count, own.slashes[0].amount], [1, 1, 2])
    assert.equal(all.totalSlashed, 2)
    await harness.platform.publish(slashed(victim.id, slashId, 'APPLIED'), 2)
    assert.equal((await get('/api/slashes')).totalSlashed, 2, 'published twice')
    assert.equal(all.slashes[0].agent.handle, victim.handle)
    assert.deepEqual([risk.slashCount, risk.flags.includes('RECENT_SLASH')], [1, true])
    assert.deepEqual(await get(`/api/risk/wallet/${victim.wallet.toLowerCase()}`), risk)
  })

  it('leave the suspended out of the leaderboard and make them ineligible', async () => {
    const one = await newAgent(harness)
    const eligible = await get(`/api/reputation/check-eligibility?wallet=${one.wallet}&minScore=15`)
    await harness.platform.publish(
      agentStatusChanged.of({
        agentId: one.id,
        handle: one.handle,
        status: 'suspended',
        wallet: one.wallet,
        formerWallet: null,
        cause: 'admin',
        reason: 'x',
      }),
      2,
    )
    await until('it is off the board', async () => {
      const { leaderboard } = await get('/api/agents/leaderboard')
      return leaderboard.every((entry: { id: string }) => entry.id !== one.id)
    })

    const suspended = await get(`/api/reputation/check-eligibility?wallet=${one.wallet}&minScore=30`)
    const nobody = await get(`/api/reputation/check-eligibility?wallet=0x${'0'.repeat(36)}dead`)

    assert.deepEqual([eligible.eligible, eligible.reasons], [true, []])
    assert.deepEqual([suspended.eligible, suspended.reasons], [false, ['FusedScore 15 is below the required 30', 'Agent is suspended']])
    assert.equal(nobody.wallet, '0x000000000000000000000000000000000000dEaD')
    assert.deepEqual([nobody.eligible, nobody.fusedScore, nobody.tier, nobody.reasons], [false, 0, null, ['Wallet is not registered']])
    for (const query of ['', '?wallet=0x1', `?wallet=${one.wallet}&minScore=101`, `?wallet=${one.wallet}&maxRisk=x`])
      assert.deepEqual(statusAndCode(await harness.call('GET', `/api/reputation/check-eligibility${query}`)), [400, 'VALIDATION_ERROR'], query)
  })

  describe('on the networks', () => {
    it('are pushed to those the agent is registered on; once a minute, also of two concurrent requests', async () => {
      const one = await newAgent(harness)
      await registeredOn(harness, one, 'BASE_SEPOLIA')
      await until('the registration is known', async () => (await get(`/api/reputation/across-chains/${one.id}`)).chains.BASE_SEPOLIA.registered)

      const answers = await Promise.all([sync(one.id), sync(one.id)])

      assert.deepEqual(answers.map(statusAndCode).sort(), [
        [200, undefined],
        [429, 'COOLDOWN_ACTIVE'],
      ])
      const { body } = answers.find(answer => answer.status === 200)!
      const late = answers.find(answer => answer.status === 429)!
      assert.deepEqual([body.synced, body.chains], [true, { BASE_SEPOLIA: { status: 'confirmed' }, SKALE_TESTNET: { status: 'none' } }])
      assert.ok(Number(late.headers.get('retry-after')) > 0 && late.body.details.cooldownEndsAt)
      const across = await get(`/api/reputation/across-chains/${one.wallet}`)
      assert.deepEqual([across.chains.BASE_SEPOLIA.score, across.chains.SKALE_TESTNET.score, across.inSync], [15, null, false])
      assert.equal((await get(`/api/reputation/check-chain/${one.id}`)).mostRecentChain, 'BASE_SEPOLIA')
      await harness.platform.advance(61)
      assert.equal((await sync(one.id)).status, 200)
    })

    it('replay with an idempotency key', async () => {
      const one = await newAgent(harness)
      const headers = { 'idempotency-key': randomUUID() }
      const first = await sync(one.id, headers)
      const again = await sync(one.id, headers)

      assert.deepEqual([first.status, again.body, again.headers.get('idempotency-replayed')], [200, first.body, 'true'])
    })

    it('are tried again with the next batch when a push fails', async () => {
      const one = await newAgent(harness)
      harness.chain = () => 'fail'
      await registeredOn(harness, one, 'BASE_SEPOLIA')
      await until('the registration is known', async () => (await get(`/api/reputation/across-chains/${one.id}`)).chains.BASE_SEPOLIA.registered)
      const { body } = await sync(one.id)
      assert.equal(body.chains.BASE_SEPOLIA.status, 'failed')
      harness.chain = () => 'confirm'

      await harness.platform.advance(3600)

      await until('it is in step', async () => (await get(`/api/reputation/across-chains/${one.id}`)).chains.BASE_SEPOLIA.score === 15)
    })

    it('come to SKALE with a registration first, where it is missing', async () => {
      const one = await newAgent(harness)

      const { status, body } = await harness.call('POST', `/api/agents/${one.id}/sync-to-skale`, { body: {} })

      assert.deepEqual([status, body.chain, body.chainId, body.score], [200, 'SKALE_TESTNET', 324705682, 15])
      assert.deepEqual(harness.registrations, [`${one.id}/SKALE_TESTNET`])
      const skale = await get(`/api/agents/${one.id}/skale-score`)
      assert.deepEqual([skale.skaleScore, skale.txHash], [15, body.txHash])
      assert.match(skale.contract, /^0x[0-9a-fA-F]{40}$/)
    })

    it('are requested by the agent itself or the oracle, where the gateway has verified the caller', async () => {
      const one = await newAgent(harness)
      const as = (agentId: string) => ({ 'x-agent-id': agentId, 'x-wallet-address': one.wallet })

      assert.deepEqual(statusAndCode(await sync(one.id, as(agent.id))), [403, 'FORBIDDEN'])
      assert.equal((await sync(one.id, as(one.id))).status, 200)
      await harness.platform.advance(61)
      assert.equal((await sync(one.id, { 'x-admin-wallet': one.wallet })).status, 200)
    })

    it('are requested by a UUID', async () => {
      const { status, body } = await sync('me')
      assert.deepEqual([status, body.errors[0].path], [400, 'agentId'])
      assert.deepEqual(statusAndCode(await sync(stranger)), [404, 'NOT_FOUND'])
      assert.deepEqual(statusAndCode(await harness.call('POST', `/api/agents/${stranger}/sync-to-skale`, { body: {} })), [404, 'NOT_FOUND'])
    })
  })

  const unknown = [
    `/api/agents/${stranger}/reputation`,
    `/api/reputation/across-chains/${stranger}`,
    `/api/reputation/check-chain/0x${'99'.repeat(20)}`,
    `/api/agents/${stranger}/skale-score`,
    `/api/risk/${stranger}`,
    `/api/risk/wallet/0x${'99'.repeat(20)}`,
    `/api/slashes/${stranger}`,
    `/api/slashes/agent/${stranger}`,
  ]
  for (const path of unknown) {
    it(`${path.replace(stranger, ':id')} says that nobody is there`, async () => {
      assert.deepEqual(statusAndCode(await harness.call('GET', path)), [404, 'NOT_FOUND'])
    })
  }

  it('of an agent that registered a moment ago may be requested again', async () => {
    const id = randomUUID()
    harness.onTheWay.add(id)

    const { status, body, headers } = await harness.call('GET', `/api/agents/${id}/reputation`)

    assert.deepEqual([status, body.code, body.retryable, headers.get('retry-after')], [503, 'DEPENDENCY_UNAVAILABLE', true, '1'])
  })

  it('refuse malformed queries', async () => {
    for (const path of ['/api/audit?agentId=x', '/api/slashes?limit=0', '/api/slashes?offset=1.5', '/api/risk/wallet/0x12'])
      assert.deepEqual(statusAndCode(await harness.call('GET', path)), [400, 'VALIDATION_ERROR'], path)
  })
})
