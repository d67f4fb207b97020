import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { claimKey } from '@carapace/chain'
import { commandConfirmed, newWallet } from '@carapace/testing'
import fc from 'fast-check'
import { least } from '../amounts.ts'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { type Harness, newAgent, oracle, startHarness, until, usdc } from '../testing/harness.ts'
import { deliveredGig, eventOf, type Scenario, untilStatus } from '../testing/scenario.ts'
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
  let harness: Harness
  let funded: api.PayloadOf<typeof api.rewardFunded>[] = []
  let claims: string[] = []
  let listener: { close(): Promise<void> }

  before(async () => {
    harness = await startHarness({ pollAfterMs: 100 })
    listener = await harness.platform.bus.subscribe(
      { name: `test.rewards.${randomUUID()}`, exchange: 'events', bindings: ['escrow.reward.#'] },
      async event => {
        if (event.type === api.rewardFunded.type) funded.push(api.rewardFunded.read(event.data))
        else claims.push(`${event.type} ${event.subject}`)
      },
    )
  })
  beforeEach(() => {
    harness.chain = () => 'confirm'
    funded = []
    claims = []
  })
  after(async () => {
    await assertHealthy(harness)
    await listener.close()
    await harness.close()
  })

  const accrued = (scenario: Scenario, validators: string[], amount: bigint) => {
    const { validationId, gigId, amount: budget, chain } = scenario
    const facts = {
      validationId,
      gigId,
      jobId: null,
      title: 'Audit',
      posterId: scenario.poster.id,
      assigneeId: scenario.worker.id,
      budget,
      chain,
      round: 1,
      appealOf: null,
    }
    return api.rewardAccrued.of({ ...facts, rewards: validators.map(validatorId => ({ validatorId, amount })) })
  }
  const fundedOf = (scenario: Scenario) =>
    until('the rewards are funded', () => {
      const event = funded.find(({ validationId }) => validationId === scenario.validationId)
      return event && { source: event.source, amounts: event.rewards.map(({ amount }) => amount) }
    })

  it('are funded from the fee of their own escrow, whichever comes first', async () => {
    const [early, late] = [await deliveredGig(harness), await deliveredGig(harness)]
    const validators = [randomUUID(), randomUUID()]
    await harness.platform.publish(accrued(early, validators, 100_000n))
    await harness.platform.publish(eventOf.resolved(early, 'approved'))
    await harness.platform.publish(eventOf.resolved(late, 'approved'))
    await untilStatus(harness, late.gigId, 'released')

    await harness.platform.publish(accrued(late, validators, 1_000_000n))
    await harness.platform.publish(accrued(late, validators, 1_000_000n))

    assert.deepEqual(await fundedOf(early), { source: 'fee', amounts: [100_000n, 100_000n] })
    assert.deepEqual(await fundedOf(late), { source: 'fee', amounts: [600_000n, 600_000n] })
    assert.equal(funded.length, 2)
  })

  it('of a refund are funded from half of what the poster paid before, and else by a top-up', async () => {
    const paid = await deliveredGig(harness)
    await harness.platform.publish(eventOf.resolved(paid, 'approved'))
    await untilStatus(harness, paid.gigId, 'released')
    const refunded = await deliveredGig(harness, { budget: 40 })
    refunded.row.posterId = refunded.poster.id
    const validators = [randomUUID(), randomUUID(), randomUUID()]
    await harness.platform.publish(eventOf.resolved(refunded, 'rejected'))
    await untilStatus(harness, refunded.gigId, 'refunded')
    await harness.platform.publish(accrued(refunded, validators, 100_000n))
    const topUp = (amount: number) =>
      harness.platform.call('POST', `/api/admin/rewards/${refunded.validationId}/top-up`, { body: { amount, reason: 'Fair' }, headers: oracle })
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

    // whether or not the event of it arrives
    await harness.platform.advance(31)
    const reported = () => harness.fundings.filter(({ validationId }) => validationId === refunded.validationId)
    await until('the swarm is notified', () => reported().length > 0)
    await harness.platform.advance(120)
    assert.deepEqual(
      reported().map(({ rewards }) => rewards),
      [validators.map(validatorId => ({ validatorId, funded: '100000' }))],
    )
  })

  it('are paid for a claim whose transaction expired, when the request comes again', async () => {
    const scenario = await deliveredGig(harness)
    const [validator, claimId] = [randomUUID(), randomUUID()]
    await harness.platform.publish(accrued(scenario, [validator], 500_000n))
    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
    await fundedOf(scenario)
    const { db } = harness.platform.service('escrow').platform
    const original = db.transaction
    let isLate = true
    db.transaction = async (work, limitMs) => {
      if (!isLate) return original(work, limitMs)
      isLate = false
      throw new api.Refusal('TIMEOUT')
    }
    claims = []

    const rewards = [{ validationId: scenario.validationId, amount: 500_000n }]
    const request = {
      claimId,
      round: 1,
      validatorId: validator,
      wallet: (await newAgent(harness)).wallet,
      chain: scenario.chain,
      amount: 500_000n,
      rewards,
    }
    await harness.platform.publish(api.rewardClaimRequested.of({ ...request, by: 'validator' }))

    assert.match(await until('the claim ended', () => claims.find(line => line.endsWith(claimId))), /reward\.paid/)
    db.transaction = original
  })

  /** Two funded rewards; round 1 of the claim requested one and failed, round 2 requests both and is under way. */
  async function twoRounds() {
    const validator = await newAgent(harness)
    const [first, second] = [await deliveredGig(harness), await deliveredGig(harness)]
    for (const scenario of [first, second]) {
      await harness.platform.publish(accrued(scenario, [validator.id], 500_000n))
      await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
      await fundedOf(scenario)
    }
    const claimId = randomUUID()
    const request = (round: number, scenarios: Scenario[]) => {
      const parts = scenarios.map(({ validationId }) => ({ validationId, amount: 500_000n }))
      const about = { claimId, round, validatorId: validator.id, wallet: validator.wallet, chain: first.chain }
      return harness.platform.publish(
        api.rewardClaimRequested.of({ ...about, amount: 500_000n * BigInt(scenarios.length), rewards: parts, by: 'validator' }),
      )
    }
    harness.chain = () => 'fail'
    await request(1, [first])
    await until('the first round failed', () => claims.some(line => line.includes('reward.failed') && line.endsWith(claimId)))
    harness.chain = () => 'wait'
    await request(2, [first, second])
    const sent = (round: number) => harness.commands.find(command => command.opKey.endsWith(claimId) && command.round === round)
    const command = await until('the second round is sent', () => sent(2))
    return { validator, first, second, claimId, request, command }
  }

  it('are booked as the contract paid them when a larger second round ends with the payment of the first', async () => {
    const { validator, first, second, claimId, command } = await twoRounds()

    const args = { claimKey: claimKey(claimId), to: validator.wallet, amount: '500000' }
    const log = { contract: 'SwarmValidator', event: 'RewardPaid', args, address: newWallet(), logIndex: 0, logPosition: 0 }
    const shares = () =>
      Promise.all(
        [first, second].map(async ({ validationId }) => {
          const { connection } = harness.platform.service('escrow').platform.db
          const row = await connection
            .collection<{ _id: string; shares: { claimed: bigint; claiming: bigint }[] }>('rewards')
            .findOne({ _id: validationId })
          return row!.shares.map(({ claimed, claiming }) => [Number(claimed), Number(claiming)])
        }),
      )
    const { answer } = harness.memory
    let polls = 0
    harness.memory.answer = operations => {
      polls += operations.filter(({ opKey }) => opKey === command.opKey).length
      return answer(operations)
    }
    const unlogged = commandConfirmed(command, { already: true })
    harness.memory.note(unlogged)
    await harness.platform.publish(unlogged)
    await until('it was polled', () => polls > 2)
    assert.deepEqual(await shares(), [[[0, 500_000]], [[0, 500_000]]])
    harness.memory.note(commandConfirmed(command, { already: true, logs: [log] }))

    await until('it is paid', () => claims.some(line => line.includes('reward.paid') && line.endsWith(claimId)))
    assert.deepEqual(await shares(), [[[500_000, 0]], [[0, 0]]])
    harness.memory.answer = answer
  })

  describe('that the chain pays after the payment had failed', () => {
    /** A funded reward, whose first payment failed. */
    async function failedClaim() {
      const scenario = await deliveredGig(harness)
      const validator = await newAgent(harness)
      await harness.platform.publish(accrued(scenario, [validator.id], 500_000n))
      await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
      await fundedOf(scenario)
      const { db } = harness.platform.service('escrow').platform
      const { chain, validationId } = scenario
      const request = (claimId: string, round: number) =>
        harness.platform.publish(
          api.rewardClaimRequested.of({
            ...{ claimId, round, validatorId: validator.id, wallet: validator.wallet, chain, amount: 500_000n, by: 'validator' },
            rewards: [{ validationId, amount: 500_000n }],
          }),
        )
      const claimId = randomUUID()
      harness.chain = () => 'fail'
      await request(claimId, 1)
      await until('failed', () => claims.includes(`escrow.reward.failed.v1 ${claimId}`))
      const sent = () => harness.commands.filter(({ opKey }) => opKey === `reward.pay:${claimId}`)
      const command = sent()[0]!
      const made = async (seq: number) => {
        const args = { claimKey: claimKey(claimId), to: validator.wallet, amount: '500000' }
        const log = { contract: 'SwarmValidator', event: 'RewardPaid', args, address: newWallet(), logIndex: 0, logPosition: 0 }
        for (const _ of [1, 2]) await harness.platform.publish(commandConfirmed(command, { seq, already: true, logs: [log] }))
      }
      const lost = async (seq: number) => {
        for (const _ of [1, 2]) await harness.outcome(command, 'fail', 'REVERTED', seq)
      }
      const balance = async (name: string) =>
        (await db.connection.collection<{ _id: string; balance: bigint }>('ledger_accounts').findOne({ _id: `${chain}/${name}` }))?.balance ?? 0n
      /** What the validator got and has yet to claim, as the ledger has it. */
      const books = async () => [await balance(`ext:${validator.wallet}`), await balance(`reward:${validationId}:${validator.id}`)].map(Number)
      const becomes = (expected: [paid: number, claimable: number]) => until(String(expected), async () => (await books()).join() === expected.join())
      const row = async () =>
        (await db.connection.collection<{ _id: string; status: string; requestRound?: number }>('claims').findOne({ _id: claimId }))!
      return { claimId, request, sent, made, lost, becomes, balance, row }
    }

    it('are claimed once, reversed with the block of the payment, and claimed again when it comes back', async () => {
      const { made, lost, becomes, row } = await failedClaim()
      await becomes([0, 500_000])

      for (const seq of [2, 5]) {
        await made(seq)
        await becomes([500_000, 0])
        await lost(seq + 2)
        await becomes([0, 500_000])
      }

      await made(9)
      await becomes([500_000, 0])
      assert.equal((await row()).status, 'claimed')
    })

    it('are not paid by the next round, which that payment answers; a further one pays when its block is dropped', async () => {
      const { claimId, request, sent, made, lost, becomes, row } = await failedClaim()
      harness.chain = () => 'wait'
      await made(2)
      await becomes([500_000, 0])
      claims = []

      for (const _ of [1, 2]) await request(claimId, 2)

      await until('answered', async () => (await row()).requestRound === 2 && claims.includes(`escrow.reward.paid.v1 ${claimId}`))
      assert.equal(sent().length, 1)
      await lost(4)
      await becomes([0, 500_000])
      await request(claimId, 3)
      const third = await until('sent', () => sent()[1])
      assert.equal(third.round, 3)
      await harness.outcome(third, 'confirm', undefined, 6)
      await becomes([500_000, 0])
    })

    it('are a loss of the pool as far as another claim has paid them meanwhile', async () => {
      const { request, made, lost, becomes, balance } = await failedClaim()
      harness.chain = () => 'confirm'
      const before = await balance('loss:fee-pool')
      await request(randomUUID(), 1)
      await becomes([500_000, 0])

      await made(2)
      await becomes([1_000_000, 0])
      assert.equal((await balance('loss:fee-pool')) - before, -500_000n)
      await lost(4)
      await becomes([500_000, 0])
      assert.equal(await balance('loss:fee-pool'), before)
    })
  })

  describe('of a claim whose second round requests more', () => {
    /** Its second round, and what becomes of it. */
    async function secondRound() {
      const { validator, first, second, claimId, request, command } = await twoRounds()
      const outcome = (seq: number, paid: number | undefined, round = 2) => {
        const args = { claimKey: claimKey(claimId), to: validator.wallet, amount: String(paid) }
        const log = { contract: 'SwarmValidator', event: 'RewardPaid', args, address: newWallet(), logIndex: 0, logPosition: 0 }
        return commandConfirmed({ ...command, round }, { seq, already: true, logs: paid === undefined ? [] : [log] })
      }
      const made = async (...of: Parameters<typeof outcome>) => {
        const event = outcome(...of)
        harness.memory.note(event)
        for (const _ of [1, 2]) await harness.platform.publish(event)
      }
      const accounts = harness.platform.service('escrow').platform.db.connection.collection<{ _id: string; balance: bigint }>('ledger_accounts')
      const balance = async (name: string) => Number((await accounts.findOne({ _id: `${first.chain}/${name}` }))?.balance ?? 0n)
      const rewardsOf = () => Promise.all([first, second].map(({ validationId }) => balance(`reward:${validationId}:${validator.id}`)))
      const becomes = (expected: { paid: number; claimable: number[] }) =>
        until(JSON.stringify(expected), async () => {
          const found = { paid: await balance(`ext:${validator.wallet}`), claimable: await rewardsOf() }
          if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(JSON.stringify(found))
          return true
        })
      return { command, made, becomes, balance, request, first, second }
    }

    it('are booked with the difference when its payment replaces that of the first, which the chain dropped', async () => {
      const { command, made, becomes, balance } = await secondRound()
      const before = await balance('loss:fee-pool')
      await made(6, 500_000, 1)
      await becomes({ paid: 500_000, claimable: [0, 500_000] })

      await made(8, 1_000_000)

      await becomes({ paid: 1_000_000, claimable: [0, 0] })
      await made(10, 500_000)
      await becomes({ paid: 500_000, claimable: [0, 500_000] })
      await harness.outcome(command, 'fail', 'REVERTED', 12)
      await becomes({ paid: 0, claimable: [500_000, 500_000] })
      await made(14, 1_000_000)
      await becomes({ paid: 1_000_000, claimable: [0, 0] })
      assert.equal(await balance('loss:fee-pool'), before)
    })

    it('are booked by the logs of a late payment after its failure, not before they are known', async () => {
      const { command, made, becomes } = await secondRound()
      await harness.outcome(command, 'fail', 'REVERTED', 6)
      await becomes({ paid: 0, claimable: [500_000, 500_000] })
      const { answer } = harness.memory
      let polls = 0
      harness.memory.answer = operations => {
        polls += operations.filter(({ opKey }) => opKey === command.opKey).length
        return answer(operations)
      }

      await made(8, undefined)

      await until('it was polled', () => polls > 2)
      await becomes({ paid: 0, claimable: [500_000, 500_000] })
      await made(8, 500_000)
      await becomes({ paid: 500_000, claimable: [0, 500_000] })
      harness.memory.answer = answer
    })

    it('are booked by the logs of a payment that replaces the first, once they are known', async () => {
      const { made, becomes } = await secondRound()
      await made(6, 500_000, 1)
      await becomes({ paid: 500_000, claimable: [0, 500_000] })

      await made(8, undefined)
      await made(8, 1_000_000)

      await becomes({ paid: 1_000_000, claimable: [0, 0] })
    })
  })

  it('are paid once for a claim, go back when the payment fails, and nothing unfunded is paid', async () => {
    const scenario = await deliveredGig(harness)
    const [validator, wallet] = [randomUUID(), (await newAgent(harness)).wallet]
    await harness.platform.publish(accrued(scenario, [validator], 500_000n))
    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
    await fundedOf(scenario)
    const request = (amount: bigint, claimId: string = randomUUID(), round = 1) =>
      api.rewardClaimRequested.of({
        claimId,
        round,
        validatorId: validator,
        wallet,
        chain: scenario.chain,
        amount,
        rewards: [{ validationId: scenario.validationId, amount }],
        by: 'validator',
      })
    const ended = (claimId: string) => until('the claim ended', () => claims.find(line => line.endsWith(claimId)))
    const [paid, tooMuch] = [randomUUID(), randomUUID()]

    harness.chain = () => 'fail'
    await harness.platform.publish(request(500_000n, paid))
    assert.match(await ended(paid), /reward\.failed/)
    claims = []
    harness.chain = () => 'confirm'
    await harness.platform.publish(request(500_000n, paid))
    await harness.platform.publish(request(500_000n, paid, 2))
    await harness.platform.publish(request(500_000n, paid, 2))
    assert.match(await ended(paid), /reward\.paid/)
    await harness.platform.publish(request(usdc(0.1), tooMuch))
    assert.match(await ended(tooMuch), /reward\.failed/)

    const payments = harness.commands.filter(({ kind, opKey }) => kind === 'reward.pay' && [paid, tooMuch].some(id => opKey.endsWith(id)))
    assert.deepEqual(
      payments.map(({ opKey, round }) => [opKey, round]),
      [1, 2].map(round => [`reward.pay:${paid}`, round]),
    )
    claims = []
    await harness.outcome({ ...payments[1]!, round: 2 }, 'fail', 'REVERTED', 3)
    assert.match(await ended(paid), /reward\.failed/)
    harness.chain = () => 'wait'
    await harness.platform.publish(request(500_000n, paid, 3))
    await harness.outcome({ ...payments[1]!, round: 3 }, 'confirm', undefined, 4)
    await until('it is paid again', () => claims.some(line => line.includes('reward.paid')))
  })
})
