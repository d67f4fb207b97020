import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { escrowSlot, onChainKey } from '@carapace/chain'
import { newHash, newWallet } from '@carapace/testing'
import { deliveredGig, escrowOf, type Story, told, untilStatus } from '../testing/story.ts'
import { assertWell } from '../testing/well.ts'
import { contracts, startWorld, until, type World } from '../testing/world.ts'

describe('a payment that the chain takes back', () => {
  let world: World
  const restated: api.PayloadOf<typeof api.escrowRestated>[] = []
  const issued: string[] = []
  let listener: { close(): Promise<void> }

  before(async () => {
    world = await startWorld()
    const bindings = [api.escrowRestated.type, api.receiptIssued.type]
    listener = await world.platform.bus.subscribe({ name: `test.undone.${randomUUID()}`, exchange: 'events', bindings }, async ({ type, data }) => {
      if (type === api.escrowRestated.type) restated.push(api.escrowRestated.read(data))
      else issued.push(api.receiptIssued.read(data).gigId)
    })
  })
  after(async () => {
    await assertWell(world, 'debts')
    await listener.close()
    await world.close()
  })

  const get = (path: string) => world.platform.call('GET', path)
  const receiptOf = ({ gigId }: Story) => get(`/api/trust-receipts/gigs/${gigId}`)
  const earningsOf = async ({ worker }: Story) => (await get(`/api/agents/${worker.id}/earnings`)).body
  const command = (opKey: string) => world.commands.findLast(sent => sent.opKey === opKey)!
  const settlementOf = ({ gigId }: Story) => command(`escrow.settle:${gigId}`)
  const othersHear = ({ gigId }: Story, expected: [status: string, unpaid: boolean][]) =>
    until('others hear', () => {
      const told = restated.filter(event => event.gigId === gigId).map(({ status, unpaid }) => [status, unpaid])
      if (told.length < expected.length) return false
      assert.deepEqual(told, expected)
      return true
    })

  /** A gig that is paid; its settlement is the first outcome that was followed. */
  const paidGig = async () => {
    const story = await deliveredGig(world)
    const validators = [randomUUID(), randomUUID()]
    await world.platform.publish(
      api.rewardAccrued.of({
        ...{
          validationId: story.validationId,
          gigId: story.gigId,
          jobId: null,
          title: 'Audit',
          posterId: story.poster.id,
          assigneeId: story.worker.id,
        },
        ...{ budget: story.amount, chain: story.chain, round: 1, appealOf: null },
        rewards: validators.map(validatorId => ({ validatorId, amount: 100_000n })),
      }),
    )
    await world.platform.publish(told.resolved(story, 'approved'))
    const { body: receipt } = await until('the receipt', async () => {
      const found = await receiptOf(story)
      return found.status === 200 && found
    })
    return { story, receipt }
  }
  const undo = async (story: Story) => {
    await world.outcome(settlementOf(story), 'reorg', '', 2)
    await world.outcome(settlementOf(story), 'fail', 'REVERTED', 3)
    await untilStatus(world, story.gigId, 'releasing')
  }
  /** The next round, a minute later, has its effect. */
  const payAgain = async (story: Story) => {
    world.chain = ({ round }) => (round === 2 ? 'wait' : 'confirm')
    await world.platform.advance(61)
    await until('it is tried again', () => settlementOf(story).round === 2)
    await world.outcome(settlementOf(story), 'confirm', undefined, 4)
    await untilStatus(world, story.gigId, 'released')
  }
  /** What the fee pool's contract must hold by our books; it holds nothing here, so the doctor says. */
  const owedByPool = async () => {
    const { checks } = await world.platform.service('escrow').platform.peers.call('escrow', api.escrowApi.internal.doctorReport)
    const said = checks.find(({ name }) => name === 'contracts')!.detail.find(line => line.startsWith('BASE_SEPOLIA: swarmValidator'))
    return BigInt(said?.match(/owes (\d+)/)?.[1] ?? 0)
  }
  const untilUnshown = (story: Story) => until('the receipt is withdrawn', async () => (await receiptOf(story)).status === 404)
  const assertUnpaid = async (story: Story, receiptId: string) => {
    await untilUnshown(story)
    const answers = await Promise.all([
      get(`/api/trust-receipts/${receiptId}`),
      world.platform.call('POST', '/api/trust-receipts', { body: { gigId: story.gigId, agentId: story.worker.id } }),
    ])
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.code]),
      [
        [404, 'NOT_FOUND'],
        [409, 'INVALID_STATE'],
      ],
    )
    assert.match(answers[0].body.message, /withdrawn/)
    for (const { id } of [story.worker, story.poster]) assert.equal((await get(`/api/trust-receipts/agent/${id}`)).body.total, 0)
    const { totalEarned, history, gigsCompleted } = await earningsOf(story)
    assert.deepEqual([totalEarned, history, gigsCompleted], [0, [], 0])
  }

  it('and is made by another transaction at once: the same receipt and the earning name that one', async () => {
    const { story, receipt } = await paidGig()

    await world.outcome(settlementOf(story), 'reorg', '', 2)
    await world.outcome(settlementOf(story), 'confirm', undefined, 3)

    const moved = await until('the receipt names the other one', async () => {
      const { body } = await receiptOf(story)
      return body.txHash !== receipt.txHash && body
    })
    const { releaseTxHash } = await escrowOf(world, story.gigId)
    const { history, totalEarned } = await earningsOf(story)
    assert.deepEqual([moved.id, moved.txHash, history.length, history[0].txHash, totalEarned], [receipt.id, releaseTxHash, 1, releaseTxHash, 38.8])
    assert.ok(moved.basescanUrl === null || moved.basescanUrl.includes(releaseTxHash))
    assert.notEqual(moved.contentHash, receipt.contentHash)
    assert.deepEqual([moved.poster, moved.assignee, moved.settledAt], [receipt.poster, receipt.assignee, receipt.settledAt])
    await othersHear(story, [['released', false]])
    await world.platform.publish(
      api.escrowRestated.of({ ...restated.find(({ gigId }) => gigId === story.gigId)!, status: 'locked', txHash: null, blockNumber: null }),
      1,
    )
    assert.deepEqual((await receiptOf(story)).body, moved, 'what comes late changes nothing')
  })

  it('shows neither receipt nor earning until it is made again, then the same receipt with the new transaction', async () => {
    const { story, receipt } = await paidGig()
    const owed = await owedByPool()

    await undo(story)

    await assertUnpaid(story, receipt.id)
    await assertWell(world, 'stuck')
    assert.equal(await owedByPool(), owed - 1_200_000n, 'a fee that is not paid is owed by nobody')
    await payAgain(story)
    const again = await until('the receipt is back', async () => {
      const { status, body } = await receiptOf(story)
      return status === 200 && body
    })
    const { releaseTxHash } = await escrowOf(world, story.gigId)
    assert.deepEqual([again.id, again.txHash, await owedByPool()], [receipt.id, releaseTxHash, owed])
    assert.notEqual(again.txHash, receipt.txHash)
    assert.equal((await earningsOf(story)).totalEarned, 38.8)
    await othersHear(story, [
      ['locked', false],
      ['released', false],
    ])
    assert.equal(issued.filter(gigId => gigId === story.gigId).length, 1)
  })

  it('is owed again although other escrows have taken its room under the cap meanwhile', async () => {
    const [{ story }, other] = [await paidGig(), await paidGig()]
    const control = world.platform.service('escrow').platform.db.connection.collection<{ _id: string }>('control')
    const fill = (by: bigint) => control.updateOne({ _id: 'tvl' }, { $inc: { total: by, [`chains.${story.chain}`]: by } })
    await fill(api.limits.escrow.tvlMicro)

    await undo(story)
    await world.outcome(command(`escrow.lock:${other.story.gigId}`), 'fail', 'REVERTED', 3)
    await untilStatus(world, other.story.gigId, 'unfunded')

    await fill(-api.limits.escrow.tvlMicro)
    await assertWell(world, 'debts', 'stuck')
    await payAgain(story)
    await assertWell(world, 'debts')
  })

  it('is booked as the contract made it: after its timeout all goes to the payee, although our own command says that it is done', async () => {
    const owed = await owedByPool()
    const { story, receipt } = await paidGig()
    const { gigId, chain, amount } = story

    await world.platform.publish(
      api.chainEvent('Escrow', 'EscrowReleased').of({
        ...{ logId: randomUUID(), network: chain, contract: 'Escrow', event: 'EscrowReleased', address: contracts.escrow, logIndex: 0 },
        ...{ txHash: newHash(), blockNumber: 3, blockHash: newHash(), blockTime: 1, final: true },
        args: { key: onChainKey(gigId), payee: story.worker.wallet, net: String(amount), fee: '0', splitTo: newWallet(), splitAmount: '0' },
      } as never),
    )

    const moved = await until('the receipt says so', async () => {
      const { status, body } = await receiptOf(story)
      return status === 200 && body.platformFee === 0 && body
    })
    const { status, fee, net } = await escrowOf(world, gigId)
    assert.deepEqual([status, fee, net, moved.id, moved.netPaid], ['released', 0, 40, receipt.id, 40])
    assert.equal((await earningsOf(story)).totalEarned, 40)
    assert.equal(await owedByPool(), owed)
    await assertWell(world, 'debts')
  })

  it('has no receipt and no earning when the money goes back to the poster in the end, whether its failure is told before or not', async () => {
    const [{ story, receipt }, other] = [await paidGig(), await paidGig()]
    await undo(story)

    for (const { gigId, chain, poster, amount } of [story, other.story]) {
      const [txHash, blockHash] = [newHash(), newHash()]
      // of a settlement that was reversed before, only what the chain shows counts
      world.transactions.set(txHash, { from: poster.wallet, logs: [], final: true, blockHash })
      await world.platform.publish(
        api.chainEvent('Escrow', 'EscrowRefunded').of({
          ...{ logId: randomUUID(), network: chain, contract: 'Escrow', event: 'EscrowRefunded', address: contracts.escrow, logIndex: 0 },
          ...{ txHash, blockNumber: 3, blockHash, blockTime: 1, final: true },
          args: { key: onChainKey(gigId), slot: escrowSlot(gigId, poster.wallet), amount: String(amount) },
        } as never),
      )
    }

    for (const [paid, { id }] of [
      [story, receipt],
      [other.story, other.receipt],
    ] as const) {
      await untilStatus(world, paid.gigId, 'refunded')
      await assertUnpaid(paid, id)
      await othersHear(paid, [
        ['locked', false],
        ['refunded', true],
      ])
    }
    await assertWell(world, 'debts')
  })

  it('has no receipt and no earning when its lock is taken back too', async () => {
    const { story, receipt } = await paidGig()

    await world.outcome(command(`escrow.lock:${story.gigId}`), 'fail', 'REVERTED', 3)

    await untilStatus(world, story.gigId, 'unfunded')
    await assertUnpaid(story, receipt.id)
    await othersHear(story, [['none', true]])
    await assertWell(world, 'debts')
  })
})
