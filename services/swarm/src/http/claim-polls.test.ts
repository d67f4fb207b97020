import assert from 'node:assert/strict'
import { rewardFunded } from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { decided, openCase, votes } from '../testing/cases.ts'
import { type ClaimAnswer, type Harness, startHarness } from '../testing/harness.ts'

describe('claims of rewards whose outcome is lost', () => {
  let harness: Harness & { validators: TestAgent[] }
  let validatorId: string
  before(async () => {
    harness = await startHarness(3)
    const found = await openCase(harness)
    validatorId = found.panel[0]!
    await votes(harness, found, 2, 'approve')
    await harness.platform.publish(decided(found, { validationId: found.validationId }))
    await until('the reward has accrued', async () => (await shown())?.state === 'accrued')
    const facts = { validationId: found.validationId, gigId: found.gigId, jobId: null, title: 'Audit', chain: 'BASE_SEPOLIA', source: 'fee' } as const
    await harness.platform.publish(rewardFunded.of({ ...facts, rewards: [{ validatorId, amount: 100_000n, funded: 100_000n }] }))
    await until('the reward is funded', async () => (await shown())?.state === 'funded')
  })
  after(() => harness.close())

  const shown = async () => (await harness.call('GET', `/api/swarm/claimable-rewards/${validatorId}`)).body.claimable[0]
  const claim = () =>
    harness.call('POST', '/api/swarm/claim-rewards', {
      body: { agentId: validatorId },
      headers: { 'x-agent-id': validatorId, 'x-wallet-address': `0x${'5a'.repeat(20)}`, prefer: 'respond-async' },
    })
  /** What the escrow is sent when the reward shows that it is polled. */
  const polled = async (answer: Partial<ClaimAnswer>) => {
    const { claim: before } = harness
    const requests: Parameters<typeof before>[0][] = []
    harness.claim = request => {
      requests.push(request)
      return { ...before(request), ...answer }
    }
    const { nextDeadline } = await shown()
    assert.equal(nextDeadline.action, 'poll')
    const seconds = Math.ceil((Date.parse(nextDeadline.at) - harness.platform.service('swarm').platform.clock.now().getTime()) / 1_000)
    await harness.platform.advance(seconds + 1)
    await until('the escrow is polled', () => requests.length > 0)
    harness.claim = before
    return requests
  }

  it('are polled when they show it, and end as the escrow answers', async () => {
    assert.equal((await claim()).status, 202)
    const claimId = await until('the claim is requested', () => harness.claims.at(-1))

    assert.deepEqual(
      (await polled({})).map(request => [request.claimId, request.round, request.amount, request.validatorId]),
      [[claimId, 1, '100000', validatorId]],
    )
    assert.equal((await shown()).state, 'claiming')
    await polled({ status: 'failed', version: 2 })
    await until('the reward is back', async () => (await shown()).state === 'funded')

    assert.equal((await claim()).status, 202)
    const [request] = await polled({ status: 'claimed', version: 4, txHash: `0x${'ab'.repeat(32)}` })
    await until('the reward is paid', async () => (await shown()) === undefined)

    assert.deepEqual([request!.claimId, request!.round], [claimId, 2])
    assert.equal((await claim()).status, 409)
  })
})
