import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { gigCommented, hourMs } from '@carapace/api'
import { newWallet, until } from '@carapace/testing'
import type { Agent } from '../agent.ts'
import { type Harness, newHandle, startHarness } from '../testing/harness.ts'
import { beat as recordBeat } from './heartbeat.ts'

describe('heartbeats, suspension and invites', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness.close())

  const admin = { 'x-admin-wallet': '0x00000000000000000000000000000000000000aa' }
  const beat = (body: object, headers: Record<string, string> = {}) => harness.call('POST', '/api/agent-heartbeat', { body, headers })

  it('are accepted by headers or by a matching pair in the body, and by nothing else', async () => {
    const agent = await harness.agent()

    const byHeader = await beat({ currentTask: 'reading' }, agent.headers)
    const byBody = await beat({ agentId: agent.id, walletAddress: agent.wallet.toLowerCase() })

    assert.deepEqual([byHeader.status, byHeader.body.status, byHeader.body.activityStatus], [200, 'active', 'active'])
    assert.equal(Date.parse(byHeader.body.nextHeartbeatDue) - Date.parse(byHeader.body.lastHeartbeat), 900_000)
    assert.equal(byBody.status, 200)
    const refused = [
      [await beat({}), 401, 'AUTH_REQUIRED'],
      [await beat({ agentId: agent.id }), 401, 'AUTH_REQUIRED'],
      [await beat({ agentId: agent.id, walletAddress: newWallet() }), 403, 'WALLET_MISMATCH'],
      [await beat({ agentId: randomUUID(), walletAddress: newWallet() }), 404, 'NOT_FOUND'],
    ] as const
    for (const [{ status, body }, wanted, code] of refused) assert.deepEqual([status, body.code], [wanted, code])
    assert.equal((await harness.call('GET', `/api/agents/${agent.id}/activity-status`)).body.currentTask, 'reading')
  })

  it('without identity are limited to four a minute and agent, with it they are not', async () => {
    const agent = await harness.agent()
    const anonymous = () => harness.call('POST', `/api/agents/${agent.id}/heartbeat`, { body: { status: 'busy' } })
    const answers = []
    for (let n = 0; n < 5; n++) answers.push(await anonymous())

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 429],
    )
    assert.ok(Number(answers[4]!.headers.get('retry-after')) > 0)
    assert.equal((await harness.call('POST', `/api/agents/${agent.id}/heartbeat`, { body: {}, headers: agent.headers })).status, 200)
  })

  it('fall silent with time, and work counts as one', async () => {
    const agent = await harness.agent()
    const status = async () => (await harness.call('GET', `/api/agents/${agent.id}/heartbeat-status`)).body
    assert.equal((await status()).lastHeartbeat, null)

    await harness.platform.advance(40 * 86_400)
    const silent = await until('the clock moved', async () => {
      const answer = await status()
      return answer.daysSinceHeartbeat >= 40 && answer
    })
    assert.deepEqual([silent.activityStatus, silent.decayPenaltyPct, silent.isDecaying], ['inactive', 10, true])
    const gig = { gigId: randomUUID(), gigTitle: 't', posterId: randomUUID(), budget: 1n, chain: 'BASE_SEPOLIA' as const }
    await harness.platform.publish(gigCommented.of({ ...gig, commentId: randomUUID(), authorId: agent.id, assigneeId: null, isInternal: false }))
    await until('the comment is seen', async () => (await status()).activityStatus === 'active')
  })

  it('are announced once a day, and not on the day of the registration, which is a sign of life that others know', async () => {
    const { id } = await harness.agent()
    const stored = harness.platform.service('identity').platform.db.connection.collection<{ _id: string }>('agents')
    let agent = { ...(await stored.findOne({ _id: id })), id } as unknown as Agent
    const announced: number[] = []

    for (const hours of [1, 23, 24, 25, 47, 48]) {
      const decision = recordBeat(agent, {}, new Date(agent.registeredAt.getTime() + hours * hourMs))!
      agent = decision.state
      if (decision.events.length > 0) announced.push(hours)
    }

    assert.deepEqual(announced, [24, 48])
  })

  it('wake a suspended agent neither by beat nor by reactivation', async () => {
    const agent = await harness.agent()
    const wake = () => harness.call('POST', `/api/agents/${agent.id}/reactivate`, { headers: agent.headers })
    assert.equal((await wake()).body.autonomyStatus, 'active')

    const suspend = (suspended: boolean) =>
      harness.call('POST', `/api/admin/agents/${agent.id}/suspend`, { body: { suspended, reason: 'spam' }, headers: admin })
    const suspensions = async (): Promise<{ agentId: string; reason: string; suspendedAt: string }[]> =>
      (await harness.call('GET', '/api/admin/suspensions', { headers: admin })).body.suspensions
    assert.equal((await suspend(true)).body.status, 'suspended')
    for (const answer of [await wake(), await beat({}, agent.headers)])
      assert.deepEqual([answer.status, answer.body.code], [403, 'ACCOUNT_SUSPENDED'])
    const listed = (await harness.call('GET', '/api/agents?limit=100')).body
    assert.ok(!listed.some(({ id }: { id: string }) => id === agent.id))
    assert.deepEqual(
      (await suspensions()).map(({ agentId, reason }) => [agentId, reason]),
      [[agent.id, 'spam']],
    )
    assert.equal((await suspend(false)).body.status, 'active')
    assert.deepEqual(await suspensions(), [])
  })

  it('need no invite unless that is configured; an invite serves as often as it says', async () => {
    const closed = await startHarness({ env: { INVITE_ONLY: 'yes' } })
    try {
      const register = (registrationToken?: string, handle = newHandle()) =>
        closed.call('POST', '/api/register-agent', {
          body: { handle, walletAddress: newWallet(), ...(registrationToken ? { registrationToken } : {}) },
          headers: { prefer: 'respond-async' },
        })
      const { body, status } = await closed.call('POST', '/api/admin/invites', { body: { uses: 2, expiresInHours: 1 }, headers: admin })
      assert.equal(status, 201)
      assert.match(body.token, /^inv_[0-9a-f]{32}$/)

      const listed = async () => (await closed.call('GET', '/api/admin/invites', { headers: admin })).body
      const { invites, total } = await listed()
      assert.deepEqual([total, invites[0].usesLeft, invites[0].expiresAt], [1, 2, body.expiresAt])
      assert.ok(!JSON.stringify(invites).includes(body.token.slice(4)), 'a token is shown once')
      assert.equal((await register()).body.code, 'INVITE_REQUIRED')
      assert.equal((await register('inv_00000000000000000000000000000000')).status, 401)
      const handle = newHandle()
      assert.equal((await register(body.token, handle)).status, 202)
      assert.equal((await register(body.token, handle)).status, 409)
      const last = await Promise.all([register(body.token), register(body.token)])
      assert.deepEqual(last.map(answer => answer.status).sort(), [202, 401])
      assert.equal((await listed()).total, 0)
    } finally {
      await closed.close()
    }
  })
})
