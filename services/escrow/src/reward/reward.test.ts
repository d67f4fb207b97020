import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import fc from 'fast-check'
import { least } from '../amounts.ts'
import { deliveredGig, type Story, told, untilStatus } from '../testing/story.ts'
import { assertWell } from '../testing/well.ts'
import { newAgent, oracle, startWorld, until, usdc, type World } from '../testing/world.ts'
import { equalShares, type Reward, topUpShares } from './reward.ts'

const reward = (accrued: bigint[]): Reward => ({
  id: 'v',
  gigId: 'g',
  jobId: null,
  title: 't',
  posterId: 'p',
  chain: 'BASE_SEPOLIA',
  shares: accrued.map((amount, index) => ({ validatorId: String(index), accrued: amount, funded: 0n, claiming: 0n, claimed: 0n })),
  isFunded: false,
  fundedBy: { fee: 0n, refund: 0n, topUp: 0n },
  fundedAt: null,
  topUps: [],
})
const total = (amounts: bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n)
const amounts = fc.array(fc.bigInt({ min: 0n, max: 1_000_000n }), { minLength: 1, maxLength: 7 })

describe('shares of rewards', () => {
  it('never exceed the band nor what there is', () => {
    fc.assert(
      fc.property(amounts, fc.bigInt({ min: -10n, max: 5_000_000n }), (accrued, available) => {
        const shares = equalShares(reward(accrued), available)
        assert.ok(shares.every((share, index) => share >= 0n && share <= accrued[index]!))
        assert.ok(total(shares) <= (available > 0n ? available : 0n))
      }),
    )
    assert.deepEqual(equalShares(reward([100_000n, 100_000n]), 150_001n), [75_000n, 75_000n])
  })

  it('of a top-up give out all of it, up to what is open', () => {
    fc.assert(
      fc.property(amounts, fc.bigInt({ min: 1n, max: 10_000_000n }), (accrued, given) => {
        const open = total(accrued)
        const amount = least(given, open)
        assert.equal(total(topUpShares(reward(accrued), amount)), amount)
      }),
    )
  })
})

describe('rewards', () => {
  let world: World
  let funded: api.PayloadOf<typeof api.rewardFunded>[] = []
  let claims: string[] = []
  let listener: { close(): Promise<void> }

  before(async () => {
    world = await startWorld()
    listener = await world.platform.bus.subscribe(
      { name: `test.rewards.${randomUUID()}`, exchange: 'events', bindings: ['escrow.reward.#'] },
      async event => {
        if (event.type === api.rewardFunded.type) funded.push(api.rewardFunded.read(event.data))
        else claims.push(`${event.type} ${event.subject}`)
      },
    )
  })
  beforeEach(() => {
    world.chain = () => 'confirm'
    funded = []
    claims = []
  })
  after(async () => {
    await assertWell(world)
    await listener.close()
    await world.close()
  })

  const accrued = (story: Story, validators: string[], amount: bigint) => {
    const { validationId, gigId, amount: budget, chain } = story
    const facts = {
      validationId,
      gigId,
      jobId: null,
      title: 'Audit',
      posterId: story.poster.id,
      assigneeId: story.worker.id,
      budget,
      chain,
      round: 1,
      appealOf: null,
    }
    return api.rewardAccrued.of({ ...facts, rewards: validators.map(validatorId => ({ validatorId, amount })) })
  }
  const fundedOf = (story: Story) =>
    until('the rewards are funded', () => {
      const event = funded.find(({ validationId }) => validationId === story.validationId)
      return event && { source: event.source, amounts: event.rewards.map(({ amount }) => amount) }
    })

  it('are funded from the fee of their own escrow, whichever comes first', async () => {
    const [early, late] = [await deliveredGig(world), await deliveredGig(world)]
    const validators = [randomUUID(), randomUUID()]
    await world.platform.publish(accrued(early, validators, 100_000n))
    await world.platform.publish(told.resolved(early, 'approved'))
    await world.platform.publish(told.resolved(late, 'approved'))
    await untilStatus(world, late.gigId, 'released')

    await world.platform.publish(accrued(late, validators, 1_000_000n))
    await world.platform.publish(accrued(late, validators, 1_000_000n))

    assert.deepEqual(await fundedOf(early), { source: 'fee', amounts: [100_000n, 100_000n] })
    assert.deepEqual(await fundedOf(late), { source: 'fee', amounts: [600_000n, 600_000n] })
    assert.equal(funded.length, 2)
  })

  it('of a refund are funded from half of what the poster paid before, and else by a top-up', async () => {
    const paid = await deliveredGig(world)
    await world.platform.publish(told.resolved(paid, 'approved'))
    await untilStatus(world, paid.gigId, 'released')
    const refunded = await deliveredGig(world, { budget: 40 })
    refunded.row.posterId = refunded.poster.id
    const validators = [randomUUID(), randomUUID(), randomUUID()]
    await world.platform.publish(told.resolved(refunded, 'rejected'))
    await untilStatus(world, refunded.gigId, 'refunded')
    await world.platform.publish(accrued(refunded, validators, 100_000n))
    const topUp = (amount: number) =>
      world.platform.call('POST', `/api/admin/rewards/${refunded.validationId}/top-up`, { body: { amount, reason: 'Fair' }, headers: oracle })
    const answer = await until('it is accrued', async () => {
      const given = await topUp(0.2)
      return given.status === 200 && given
    })

    const rest = await topUp(5)
    const none = await topUp(5)

    assert.equal(answer.body.amount, 0.2)
    assert.deepEqual([rest.body.amount, none.status, none.body.code], [0.1, 409, 'INVALID_STATE'])
    assert.deepEqual(
      [...new Set(funded.filter(({ validationId }) => validationId === refunded.validationId).map(({ source }) => source))],
      ['top_up'],
    )
  })

  it('are paid for a claim whose transaction took too long, when the request comes again', async () => {
    const story = await deliveredGig(world)
    const [validator, claimId] = [randomUUID(), randomUUID()]
    await world.platform.publish(accrued(story, [validator], 500_000n))
    await world.platform.publish(told.resolved(story, 'approved'))
    await fundedOf(story)
    const { db } = world.platform.service('escrow').platform
    const original = db.transaction
    let isLate = true
    db.transaction = async (work, limitMs) => {
      if (!isLate) return original(work, limitMs)
      isLate = false
      throw new api.Refusal('TIMEOUT')
    }
    claims = []

    const rewards = [{ validationId: story.validationId, amount: 500_000n }]
    const request = {
      claimId,
      round: 1,
      validatorId: validator,
      wallet: (await newAgent(world)).wallet,
      chain: story.chain,
      amount: 500_000n,
      rewards,
    }
    await world.platform.publish(api.rewardClaimRequested.of({ ...request, by: 'validator' }))

    assert.match(await until('the claim ended', () => claims.find(line => line.endsWith(claimId))), /reward\.paid/)
    db.transaction = original
  })

  it('are paid once for a claim, go back when the payment fails, and nothing unfunded is paid', async () => {
    const story = await deliveredGig(world)
    const [validator, wallet] = [randomUUID(), (await newAgent(world)).wallet]
    await world.platform.publish(accrued(story, [validator], 500_000n))
    await world.platform.publish(told.resolved(story, 'approved'))
    await fundedOf(story)
    const request = (amount: bigint, claimId: string = randomUUID(), round = 1) =>
      api.rewardClaimRequested.of({
        claimId,
        round,
        validatorId: validator,
        wallet,
        chain: story.chain,
        amount,
        rewards: [{ validationId: story.validationId, amount }],
        by: 'validator',
      })
    const ended = (claimId: string) => until('the claim ended', () => claims.find(line => line.endsWith(claimId)))
    const [paid, tooMuch] = [randomUUID(), randomUUID()]

    world.chain = () => 'fail'
    await world.platform.publish(request(500_000n, paid))
    assert.match(await ended(paid), /reward\.failed/)
    claims = []
    world.chain = () => 'confirm'
    await world.platform.publish(request(500_000n, paid))
    await world.platform.publish(request(500_000n, paid, 2))
    await world.platform.publish(request(500_000n, paid, 2))
    assert.match(await ended(paid), /reward\.paid/)
    await world.platform.publish(request(usdc(0.1), tooMuch))
    assert.match(await ended(tooMuch), /reward\.failed/)

    const payments = world.commands.filter(({ kind, opKey }) => kind === 'reward.pay' && [paid, tooMuch].some(id => opKey.endsWith(id)))
    assert.deepEqual(
      payments.map(({ opKey, round }) => [opKey, round]),
      [1, 2].map(round => [`reward.pay:${paid}`, round]),
    )
    claims = []
    await world.outcome({ ...payments[1]!, round: 2 }, 'fail', 'REVERTED', 3)
    assert.match(await ended(paid), /reward\.failed/)
    await world.platform.publish(request(500_000n, paid, 3))
    await until('it is paid again', () => claims.some(line => line.includes('reward.paid')))
  })
})
