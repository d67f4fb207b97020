import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { escrowSlot, onChainKey } from '@carapace/chain'
import { doctorChecks, newHash, newWallet } from '@carapace/testing'
import { assertHealthy } from '../testing/assert-healthy.ts'
import { contracts, type Harness, startHarness, until } from '../testing/harness.ts'
import { deliveredGig, escrowOf, eventOf, type Scenario, untilStatus } from '../testing/scenario.ts'

describe('a payment that the chain reverses', () => {
  let harness: Harness
  const corrections: api.PayloadOf<typeof api.escrowRestated>[] = []
  const issued: string[] = []
  const funded: string[] = []
  let listener: { close(): Promise<void> }

  before(async () => {
    harness = await startHarness()
    const bindings = [api.escrowRestated.type, api.receiptIssued.type, api.rewardFunded.type]
    listener = await harness.platform.bus.subscribe(
      { name: `test.reversed.${randomUUID()}`, exchange: 'events', bindings },
      async ({ type, data }) => {
        if (type === api.escrowRestated.type) corrections.push(api.escrowRestated.read(data))
        else if (type === api.rewardFunded.type) funded.push(api.rewardFunded.read(data).validationId)
        else issued.push(api.receiptIssued.read(data).gigId)
      },
    )
  })
  after(async () => {
    await assertHealthy(harness, 'debts')
    await listener.close()
    await harness.close()
  })

  const get = (path: string) => harness.platform.call('GET', path)
  const receiptOf = ({ gigId }: Scenario) => get(`/api/trust-receipts/gigs/${gigId}`)
  const earningsOf = async ({ worker }: Scenario) => (await get(`/api/agents/${worker.id}/earnings`)).body
  const command = (opKey: string) => harness.commands.findLast(sent => sent.opKey === opKey)!
  const settlementOf = ({ gigId }: Scenario) => command(`escrow.settle:${gigId}`)
  const untilOthersKnow = ({ gigId }: Scenario, expected: [status: string, unpaid: boolean][]) =>
    until('others are notified', () => {
      const received = corrections.filter(event => event.gigId === gigId).map(({ status, unpaid }) => [status, unpaid])
      if (received.length < expected.length) return false
      assert.deepEqual(received, expected)
      return true
    })

  /** A gig that is paid; its settlement is the first outcome that was followed. */
  const paidGig = async () => {
    const scenario = await deliveredGig(harness)
    const validators = [randomUUID(), randomUUID()]
    await harness.platform.publish(
      api.rewardAccrued.of({
        ...{
          validationId: scenario.validationId,
          gigId: scenario.gigId,
          jobId: null,
          title: 'Audit',
          posterId: scenario.poster.id,
          assigneeId: scenario.worker.id,
        },
        ...{ budget: scenario.amount, chain: scenario.chain, round: 1, appealOf: null },
        rewards: validators.map(validatorId => ({ validatorId, amount: 100_000n })),
      }),
    )
    await harness.platform.publish(eventOf.resolved(scenario, 'approved'))
    const { body: receipt } = await until('the receipt', async () => {
      const found = await receiptOf(scenario)
      return found.status === 200 && found
    })
    await until('the rewards are funded', () => funded.includes(scenario.validationId))
    return { scenario, receipt }
  }
  const reverse = async (scenario: Scenario) => {
    await harness.outcome(settlementOf(scenario), 'reorg', '', 2)
    await harness.outcome(settlementOf(scenario), 'fail', 'REVERTED', 3)
    await untilStatus(harness, scenario.gigId, 'releasing')
  }
  /** The next round, a minute later, has its effect. */
  const payAgain = async (scenario: Scenario) => {
    harness.chain = ({ round }) => (round === 2 ? 'wait' : 'confirm')
    await harness.platform.advance(61)
    await until('it is tried again', () => settlementOf(scenario).round === 2)
    await harness.outcome(settlementOf(scenario), 'confirm', undefined, 4)
    await untilStatus(harness, scenario.gigId, 'released')
  }
  /** What the fee pool's contract must hold by our books; it holds nothing here, so the doctor says. */
  const dueByPool = async () => {
    const checks = await doctorChecks(harness.platform, 'escrow')
    const detail = checks.find(({ name }) => name === 'contracts')!.detail.find(line => line.startsWith('BASE_SEPOLIA: swarmValidator'))
    return BigInt(detail?.match(/owes (\d+)/)?.[1] ?? 0)
  }
  const untilUnshown = (scenario: Scenario) => until('the receipt is withdrawn', async () => (await receiptOf(scenario)).status === 404)
  const assertUnpaid = async (scenario: Scenario, receiptId: string) => {
    await untilUnshown(scenario)
    const answers = await Promise.all([
      get(`/api/trust-receipts/${receiptId}`),
      harness.platform.call('POST', '/api/trust-receipts', { body: { gigId: scenario.gigId, agentId: scenario.worker.id } }),
    ])
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.code]),
      [
        [404, 'NOT_FOUND'],
        [409, 'INVALID_STATE'],
      ],
    )
    assert.match(answers[0].body.message, /withdrawn/)
    for (const { id } of [scenario.worker, scenario.poster]) assert.equal((await get(`/api/trust-receipts/agent/${id}`)).body.total, 0)
    const { totalEarned, history, gigsCompleted } = await earningsOf(scenario)
    assert.deepEqual([totalEarned, history, gigsCompleted], [0, [], 0])
  }

  it('and is made by another transaction immediately: the same receipt and the earning name that one', async () => {
    const { scenario, receipt } = await paidGig()

    await harness.outcome(settlementOf(scenario), 'reorg', '', 2)
    await harness.outcome(settlementOf(scenario), 'confirm', undefined, 3)

    const moved = await until('the receipt names the other one', async () => {
      const { body } = await receiptOf(scenario)
      return body.txHash !== receipt.txHash && body
    })
    const { releaseTxHash } = await escrowOf(harness, scenario.gigId)
    const { history, totalEarned } = await earningsOf(scenario)
    assert.deepEqual([moved.id, moved.txHash, history.length, history[0].txHash, totalEarned], [receipt.id, releaseTxHash, 1, releaseTxHash, 38.8])
    assert.ok(moved.basescanUrl === null || moved.basescanUrl.includes(releaseTxHash))
    assert.notEqual(moved.contentHash, receipt.contentHash)
    assert.deepEqual([moved.poster, moved.assignee, moved.settledAt], [receipt.poster, receipt.assignee, receipt.settledAt])
    await untilOthersKnow(scenario, [['released', false]])
    await harness.platform.publish(
      api.escrowRestated.of({ ...corrections.find(({ gigId }) => gigId === scenario.gigId)!, status: 'locked', txHash: null, blockNumber: null }),
      1,
    )
    assert.deepEqual((await receiptOf(scenario)).body, moved, 'what comes late changes nothing')
  })

  it('shows neither receipt nor earning until it is made again, then the same receipt with the new transaction', async () => {
    const { scenario, receipt } = await paidGig()
    const due = await dueByPool()

    await reverse(scenario)

    await assertUnpaid(scenario, receipt.id)
    await assertHealthy(harness, 'stuck')
    assert.equal(await dueByPool(), due - 1_200_000n, 'a fee that is not paid is due from nobody')
    await payAgain(scenario)
    const again = await until('the receipt is back', async () => {
      const { status, body } = await receiptOf(scenario)
      return status === 200 && body
    })
    const { releaseTxHash } = await escrowOf(harness, scenario.gigId)
    assert.deepEqual([again.id, again.txHash, await dueByPool()], [receipt.id, releaseTxHash, due])
    assert.notEqual(again.txHash, receipt.txHash)
    assert.equal((await earningsOf(scenario)).totalEarned, 38.8)
    await untilOthersKnow(scenario, [
      ['locked', false],
      ['released', false],
    ])
    assert.equal(issued.filter(gigId => gigId === scenario.gigId).length, 1)
  })

  it('is due again although other escrows have used its room under the cap meanwhile', async () => {
    const [{ scenario }, other] = [await paidGig(), await paidGig()]
    const control = harness.platform.service('escrow').platform.db.connection.collection<{ _id: string }>('control')
    const fill = (by: bigint) => control.updateOne({ _id: 'tvl' }, { $inc: { total: by, [`chains.${scenario.chain}`]: by } })
    await fill(api.limits.escrow.tvlMicro)

    await reverse(scenario)
    await harness.outcome(command(`escrow.lock:${other.scenario.gigId}`), 'fail', 'REVERTED', 3)
    await untilStatus(harness, other.scenario.gigId, 'unfunded')

    await fill(-api.limits.escrow.tvlMicro)
    await assertHealthy(harness, 'debts', 'stuck')
    await payAgain(scenario)
    await assertHealthy(harness, 'debts')
  })

  it('is booked as the contract made it: after its timeout all goes to the payee, although our own command says that it is done', async () => {
    const due = await dueByPool()
    const { scenario, receipt } = await paidGig()
    const { gigId, chain, amount } = scenario
    const txHash = newHash()
    harness.transactions.set(txHash, { from: newWallet(), logs: [], final: true })

    await harness.platform.publish(
      api.chainEvent('Escrow', 'EscrowReleased').of({
        ...{ logId: randomUUID(), network: chain, contract: 'Escrow', event: 'EscrowReleased', address: contracts.escrow, logIndex: 0 },
        ...{ txHash, blockNumber: 3, blockHash: newHash(), blockTime: 1, final: true },
        args: { key: onChainKey(gigId), payee: scenario.worker.wallet, net: String(amount), fee: '0', splitTo: newWallet(), splitAmount: '0' },
      } as never),
    )

    const moved = await until('the receipt says so', async () => {
      const { status, body } = await receiptOf(scenario)
      return status === 200 && body.platformFee === 0 && body
    })
    const { status, fee, net } = await escrowOf(harness, gigId)
    assert.deepEqual([status, fee, net, moved.id, moved.netPaid], ['released', 0, 40, receipt.id, 40])
    assert.equal((await earningsOf(scenario)).totalEarned, 40)
    assert.equal(await dueByPool(), due)
    await assertHealthy(harness, 'debts')
  })

  it('has no receipt and no earning when the money goes back to the poster in the end, whether its failure is published before or not', async () => {
    const [{ scenario, receipt }, other] = [await paidGig(), await paidGig()]
    await reverse(scenario)

    for (const { gigId, chain, poster, amount } of [scenario, other.scenario]) {
      const [txHash, blockHash] = [newHash(), newHash()]
      // of a settlement that was reversed before, only what the chain shows counts
      harness.transactions.set(txHash, { from: poster.wallet, logs: [], final: true, blockHash })
      await harness.platform.publish(
        api.chainEvent('Escrow', 'EscrowRefunded').of({
          ...{ logId: randomUUID(), network: chain, contract: 'Escrow', event: 'EscrowRefunded', address: contracts.escrow, logIndex: 0 },
          ...{ txHash, blockNumber: 3, blockHash, blockTime: 1, final: true },
          args: { key: onChainKey(gigId), slot: escrowSlot(gigId, poster.wallet), amount: String(amount) },
        } as never),
      )
    }

    for (const [paid, { id }] of [
      [scenario, receipt],
      [other.scenario, other.receipt],
    ] as const) {
      await untilStatus(harness, paid.gigId, 'refunded')
      await assertUnpaid(paid, id)
      await untilOthersKnow(paid, [
        ['locked', false],
        ['refunded', true],
      ])
    }
    await assertHealthy(harness, 'debts')
  })

  it('has no receipt and no earning when its lock is reversed too', async () => {
    const { scenario, receipt } = await paidGig()

    await harness.outcome(command(`escrow.lock:${scenario.gigId}`), 'fail', 'REVERTED', 3)

    await untilStatus(harness, scenario.gigId, 'unfunded')
    await assertUnpaid(scenario, receipt.id)
    await untilOthersKnow(scenario, [['none', true]])
    await assertHealthy(harness, 'debts')
  })
})
