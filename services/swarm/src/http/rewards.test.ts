import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { rewardFailed, rewardFunded, rewardPaid } from '@carapace/api'
import { type TestAgent, until } from '@carapace/testing'
import { type Case, decided, openCase, votes } from '../testing/cases.ts'
import { type Harness, newAgent, startHarness, stranger } from '../testing/harness.ts'

const statusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

describe('rewards of validators over HTTP', () => {
  let harness: Harness & { validators: TestAgent[] }
  before(async () => {
    harness = await startHarness(3)
  })
  after(() => harness.close())

  const claimable = async (agentId: string) => (await harness.call('GET', `/api/swarm/claimable-rewards/${agentId}`)).body
  const claim = (agentId: string, headers: object = {}) =>
    harness.call('POST', '/api/swarm/claim-rewards', {
      body: { agentId },
      headers: { 'x-agent-id': agentId, 'x-wallet-address': `0x${'5a'.repeat(20)}`, prefer: 'respond-async', ...headers },
    })
  const funded = ({ validationId, gigId }: Case, validatorIds: readonly string[]) =>
    rewardFunded.of({
      ...{ validationId, gigId, jobId: null, title: 'Audit', chain: 'BASE_SEPOLIA', source: 'fee' },
      rewards: validatorIds.map(validatorId => ({ validatorId, amount: 100_000n, funded: 100_000n })),
    })

  /** Two validators have won, the escrow has funded what they earned. */
  const rewarded = async (): Promise<Case> => {
    const found = await openCase(harness)
    await votes(harness, found, 2, 'approve')
    await harness.platform.publish(decided(found, { validationId: found.validationId }))
    const before = await claimable(found.panel[0]!)
    await harness.platform.publish(funded(found, found.panel.slice(0, 2)))
    await until('the reward is funded', async () => (await claimable(found.panel[0]!)).totalClaimable > before.totalClaimable)
    return found
  }

  /** All that a validator can claim, claimed, with what that was; `own` reads what it can claim now. */
  const claimed = async (validator: string) => {
    const own = async () => (await claimable(validator)).totalClaimable as number
    const before = await own()
    const count = harness.claims.length
    assert.equal((await claim(validator)).status, 202)
    return { own, before, count, claimId: await until('the claim is requested', () => harness.claims[count]) }
  }
  type ClaimRow = { _id: string; status: string; round: number; rewards: { validationId: string; amount: bigint }[] }
  const claims = () => harness.platform.service('swarm').platform.db.connection.collection<ClaimRow>('claims')
  const paidAt = () => ({ txHash: `0x${'ab'.repeat(32)}`, paidAt: new Date().toISOString() })

  it('accrue once for those who voted with the verdict, and can be claimed when funded', async () => {
    const found = await rewarded()
    await harness.platform.publish(decided(found, { validationId: found.validationId }), 2)

    const own = (await claimable(found.panel[0]!)).claimable.filter((one: { validationId: string }) => one.validationId === found.validationId)
    const silent = (await claimable(found.panel[2]!)).claimable.filter((one: { validationId: string }) => one.validationId === found.validationId)

    assert.deepEqual(
      own.map(({ amount, state }: { amount: number; state: string }) => [amount, state]),
      [[0.1, 'funded']],
    )
    assert.deepEqual(silent, [])
  })

  it('are claimed once, also by two concurrent claims; a payment that fails gives them back, one that is made ends them', async () => {
    const { panel, gigId, validationId } = await rewarded()
    const validator = panel[0]!
    const amount = BigInt(Math.round((await claimable(validator)).totalClaimable * 1e6))

    const answers = await Promise.all([claim(validator), claim(validator)])
    assert.deepEqual(answers.map(statusAndCode).sort(), [
      [202, undefined],
      [409, 'INVALID_STATE'],
    ])
    assert.equal(answers.find(({ status }) => status === 409)!.body.retryable, true)
    const claimId = await until('the claim is requested', () => harness.claims.at(-1))
    const shown = (await claimable(validator)).claimable.find((one: { gigId: string }) => one.gigId === gigId)
    assert.deepEqual([shown.state, shown.nextDeadline.action], ['claiming', 'poll'])
    assert.ok(Date.parse(shown.nextDeadline.at) > Date.parse(shown.accruedAt) + 30_000, shown.nextDeadline.at)
    const facts = { claimId, validatorId: validator, chain: 'BASE_SEPOLIA' as const, amount, validationIds: [validationId] }
    await harness.platform.publish(rewardFailed.of({ ...facts, round: 1, code: 'REVERTED' }))
    await until('the reward is back', async () => (await claimable(validator)).totalClaimable > 0)

    const count = harness.claims.length
    assert.equal((await claim(validator)).status, 202)
    const second = await until('the second claim is requested', () => harness.claims[count])
    assert.equal(second, claimId)
    await harness.platform.publish(rewardFailed.of({ ...facts, round: 1, code: 'REVERTED' }))
    await harness.platform.publish(rewardPaid.of({ ...facts, round: 2, ...paidAt() }), 2)
    await until('the reward is paid', async () => (await claimable(validator)).claimable.every((one: { gigId: string }) => one.gigId !== gigId))
    assert.deepEqual(statusAndCode(await claim(validator)), [409, 'INVALID_STATE'])
  })

  it('can be claimed again, once and as the next round, when a reorganisation undid their payment', async () => {
    const { panel, validationId } = await rewarded()
    const validator = panel[1]!
    const { own, before, count, claimId } = await claimed(validator)
    const facts = { claimId, round: 1, validatorId: validator, chain: 'BASE_SEPOLIA' as const, amount: 100_000n, validationIds: [validationId] }
    const paid = rewardPaid.of({ ...facts, ...paidAt() })
    const failed = rewardFailed.of({ ...facts, code: 'REVERTED' })
    const is = (status: string) => until(`it is ${status}`, async () => (await claims().findOne({ _id: claimId }))?.status === status)
    await harness.platform.publish(paid)
    await is('paid')

    await harness.platform.publish(failed, 2)
    await harness.platform.publish(failed, 2)
    await harness.platform.publish(paid)
    await is('failed')

    assert.equal(await until('it is back', own), before)
    assert.equal((await claim(validator)).status, 202)
    await until('the next round is requested', () => harness.claims.length > count + 1)
    assert.deepEqual(harness.claims.slice(count), [claimId, claimId])
    assert.equal((await claims().findOne({ _id: claimId }))?.round, 2)
  })

  it('are claimed when the chain pays a claim after its failure, and claimable again when that payment is reversed', async () => {
    const { panel, validationId } = await rewarded()
    const validator = panel[0]!
    const { own, before, claimId } = await claimed(validator)
    const amount = BigInt(Math.round(before * 1e6))
    const facts = { claimId, validatorId: validator, chain: 'BASE_SEPOLIA' as const, amount, validationIds: [validationId] }
    const paid = (round: number) => rewardPaid.of({ ...facts, round, ...paidAt() })
    const failed = (round: number) => rewardFailed.of({ ...facts, round, code: 'REVERTED' })
    const round = (await until('it is stored', () => claims().findOne({ _id: claimId })))!.round
    await harness.platform.publish(failed(round), 20)
    await until('it is back', async () => (await own()) === before)

    for (const [draft, version, left] of [
      [paid(round), 21, 0],
      [failed(round), 22, before],
      [paid(round), 23, 0],
    ] as const) {
      for (const _ of [1, 2]) await harness.platform.publish(draft, version)
      await until(`${left} can be claimed`, async () => (await own()) === left)
    }
    await harness.platform.publish(failed(round), 22)
    assert.deepEqual(statusAndCode(await claim(validator)), [409, 'INVALID_STATE'])
  })

  it('are claimed as far as they are paid, when the payment of another round replaces the first', async () => {
    const { panel, validationId } = await rewarded()
    const validator = panel[1]!
    const { own, before, claimId } = await claimed(validator)
    const { round, rewards: whole } = (await until('it is stored', () => claims().findOne({ _id: claimId })))!
    const part = whole.find(one => one.validationId === validationId)!
    const paid = (parts: typeof whole) => {
      const amount = parts.reduce((sum, part) => sum + part.amount, 0n)
      const facts = { claimId, round, validatorId: validator, chain: 'BASE_SEPOLIA' as const, amount, validationIds: [validationId], rewards: parts }
      return rewardPaid.of({ ...facts, ...paidAt() })
    }
    const less = [{ ...part, amount: part.amount / 2n }]

    for (const [parts, version] of [
      [less, 31],
      [whole, 32],
      [less, 33],
      [whole, 34],
    ] as const) {
      for (const _ of [1, 2]) await harness.platform.publish(paid([...parts]), version)
      const left = parts === less ? before - Number(part.amount / 2n) / 1e6 : 0
      await until(`${left} can be claimed`, async () => Math.abs((await own()) - left) < 1e-9)
    }
  })

  it('are claimed again under the claim that they failed in', async () => {
    const found = await rewarded()
    const validator = found.panel[0]!
    const { connection } = harness.platform.service('swarm').platform.db
    const rows = connection.collection<{ _id: string; validationId: string }>('rewards')
    const { _id, ...row } = (await rows.findOne({ _id: `${found.validationId}.${validator}` }))!
    const ids: string[] = []
    const request = async () => {
      const count = harness.claims.length
      assert.equal((await claim(validator)).status, 202)
      ids.push(await until('the claim is requested', () => harness.claims[count]))
    }
    await request()
    // a second reward is funded while the first claim is under way
    const validationId = randomUUID()
    await rows.insertOne({ ...row, _id: `${validationId}.${validator}`, validationId })
    await request()
    const before = (await claimable(validator)).totalClaimable
    const facts = { round: 1, validatorId: validator, chain: 'BASE_SEPOLIA' as const, amount: 100_000n, validationIds: [], code: 'REVERTED' }
    for (const claimId of ids) await harness.platform.publish(rewardFailed.of({ claimId, ...facts }))
    await until('both are back', async () => (await claimable(validator)).totalClaimable > before + 0.15)
    const count = harness.claims.length

    assert.equal((await claim(validator)).status, 202)

    await until('both are requested', () => harness.claims.length === count + 2)
    assert.deepEqual(harness.claims.slice(count).sort(), ids.sort())
  })

  it('are claimed in the own name only, and unknown agents have none', async () => {
    const agent = await newAgent(harness)

    assert.deepEqual(statusAndCode(await claim(stranger, { 'x-agent-id': agent.id })), [403, 'FORBIDDEN'])
    assert.deepEqual(statusAndCode(await claim(agent.id)), [409, 'INVALID_STATE'])
    assert.deepEqual(statusAndCode(await harness.call('POST', '/api/swarm/claim-rewards', { body: { agentId: agent.id } })), [401, 'AUTH_REQUIRED'])
    assert.deepEqual((await claimable(agent.id)).claimable, [])
  })

  it('are paid by time after a hundred claims that never end, also those from before the time was stored', async () => {
    const { validationId, panel } = await rewarded()
    const rows = harness.platform.service('swarm').platform.db.connection.collection<{ _id: string; payAt?: Date }>('rewards')
    const { _id, payAt: _, ...row } = (await rows.findOne({ _id: `${validationId}.${panel[0]}` }))!
    const rewardOf = (validatorId: string, of: object) => {
      const id = randomUUID()
      return { ...row, _id: `${id}.${validatorId}`, validationId: id, validatorId, ...of }
    }
    const stuck = { claiming: 100_000n, claimId: randomUUID(), fundedAt: new Date(1) }
    const validator = (await newAgent(harness)).id
    await rows.insertMany(Array.from({ length: 120 }, () => rewardOf(randomUUID(), stuck)))
    await rows.insertOne(rewardOf(validator, { fundedAt: new Date(2) }))

    await until('it is claimed', async () => {
      await harness.platform.advance(60)
      return (await claimable(validator)).claimable[0]?.state === 'claiming'
    })
  })

  it('are paid by time alone after 30 days, however many older ones were paid, or cannot be', async () => {
    const { validationId, panel } = await rewarded()
    const rows = harness.platform.service('swarm').platform.db.connection.collection<{ _id: string; payAt?: Date }>('rewards')
    const { _id, payAt: _, ...row } = (await rows.findOne({ _id: `${validationId}.${panel[0]}` }))!
    const older = (validatorId: string, of: object) =>
      Array.from({ length: 101 }, () => {
        const id = randomUUID()
        return { ...row, ...of, _id: `${id}.${validatorId}`, validationId: id, validatorId, fundedAt: new Date(0) }
      })
    // the second ones are of an agent that has no wallet here
    await rows.insertMany([...older(panel[2]!, { claimed: 100_000n }), ...older(randomUUID(), {})])
    const count = harness.claims.length

    await harness.platform.advance(30 * 86_400 + 60)

    await until('they are claimed', async () => {
      await harness.platform.advance(60)
      return harness.claims.length > count
    })
    assert.deepEqual(statusAndCode(await claim(panel[0]!)), [409, 'INVALID_STATE'])
  })

  it('are shown for a budget, and the figures of all validations add up', async () => {
    const { body } = await harness.call('GET', '/api/swarm/quorum-requirements?budget=600.5')
    assert.deepEqual([body.candidateCount, body.threshold, body.rewardPerValidator, body.windowHours], [7, 5, 0.6005, 72])
    for (const query of ['', '?budget=x', '?budget=-1'])
      assert.deepEqual(statusAndCode(await harness.call('GET', `/api/swarm/quorum-requirements${query}`)), [400, 'VALIDATION_ERROR'])

    const figures = (await harness.call('GET', '/api/swarm/statistics')).body

    for (const status of ['pending', 'approved', 'rejected', 'expired', 'superseded'])
      assert.equal(figures[status], (await harness.call('GET', `/api/swarm/validations?limit=1&status=${status}`)).body.total, status)
    assert.equal(figures.totalValidations, (await harness.call('GET', '/api/swarm/validations?limit=1')).body.total)
    assert.ok(figures.approved >= 3 && figures.activeValidators <= figures.totalValidators)
  })
})
