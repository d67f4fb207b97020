import assert from 'node:assert/strict'
import { rewardFunded } from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { decided, openCase, votes } from '../testing/cases.ts'
import { type ClaimAnswer, type Harness, startHarness, underWay } from '../testing/harness.ts'

describe('claims of rewards whose outcome is lost', () => {
  let harness: Harness & { validators: TestAgent[] }
  let validatorId: string
  beforeEach(async () => {
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
  afterEach(() => harness.close())

  const shown = async () => (await harness.call('GET', `/api/swarm/claimable-rewards/${validatorId}`)).body.claimable[0]
  const claim = () =>
    harness.call('POST', '/api/swarm/claim-rewards', {
      body: { agentId: validatorId },
      headers: { 'x-agent-id': validatorId, 'x-wallet-address': `0x${'5a'.repeat(20)}`, prefer: 'respond-async' },
    })
  /** From here on the escrow answers so. @returns what it is sent */
  const answer = (answered: Partial<ClaimAnswer>) => {
    const requests: Parameters<Harness['claim']>[0][] = []
    harness.claim = request => {
      requests.push(request)
      return { ...underWay(request), ...answered }
    }
    return requests
  }
  /** What the escrow is sent when the reward shows that it is polled. */
  const polled = async (answered: Partial<ClaimAnswer>) => {
    const requests = answer(answered)
    const { nextDeadline } = await shown()
    assert.equal(nextDeadline.action, 'poll')
    const seconds = Math.ceil((Date.parse(nextDeadline.at) - harness.platform.service('swarm').platform.clock.now().getTime()) / 1_000)
    await harness.platform.advance(seconds + 1)
    await until('the escrow is polled', () => requests.length > 0)
    return requests
  }
  const txHash = `0x${'ab'.repeat(32)}`

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
    const [request] = await polled({ status: 'claimed', version: 4, txHash })
    await until('the reward is paid', async () => (await shown()) === undefined)

    assert.deepEqual([request!.claimId, request!.round], [claimId, 2])
    assert.equal((await claim()).status, 409)
  })

  it('are polled until their payment is final, and go back when it was reversed without a message', async () => {
    assert.equal((await claim()).status, 202)
    await polled({ status: 'claimed', version: 2, txHash })
    await until('the reward is paid', async () => (await shown()) === undefined)

    const reversed = answer({ status: 'failed', version: 4 })
    await harness.platform.advance(60)
    await until('the escrow is polled', () => reversed.length > 0)
    await until('the reward is back', async () => (await shown())?.state === 'funded')
    const late = answer({ status: 'claimed', version: 6, txHash, isFinal: true })
    await harness.platform.advance(60)
    await until('the reward is paid after all', async () => (await shown()) === undefined)

    const count = late.length
    await harness.platform.advance(600)
    assert.equal(late.length, count)
  })
})
