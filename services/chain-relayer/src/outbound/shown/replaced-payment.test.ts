import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chainCommand, type Draft, outcomeNameOf } from '@carapace/api'
import { commands } from '@carapace/chain'
import { until } from '@carapace/testing'
import { Transaction, Wallet } from 'ethers'
import type { Tx } from '../../lane/records.ts'
import { wallet } from '../../testing/kit.ts'
import { faultyKitPerTest } from '../../testing/kit-per-test.ts'
import { newOp } from '../intake.ts'
import { openOperator } from '../operator.ts'
import { endChecks, includableMs } from '../public-authorization.ts'

const chain = 'BASE_SEPOLIA'
const amount = 5_000_000n
const fees = { type: 2, chainId: 84532, gasLimit: 200_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n }

describe('a custodial payment whose transaction was seen and then replaced by an empty one', function () {
  this.timeout(180_000)
  const { kit, door } = faultyKitPerTest(11)
  const outcomes = ({ subject }: Draft) => kit.of(subject).map(({ type }) => outcomeNameOf(type))
  const payment = (from: string) =>
    commands.treasuryPay({ paymentId: randomUUID(), from, to: wallet(), amount, chain, deadline: new Date(Date.now() + 900_000) })

  /** The pool drops the transaction after everybody has seen it. */
  async function cancelled() {
    await kit.start({ rpcUrl: door.url, batchSize: 1, finality: 2 })
    const { address: from } = await (await kit.custody()).walletOf(randomUUID())
    await kit.send(commands.faucetMint({ chain, requestId: randomUUID(), to: from, amount }))
    await until('funded', async () => (await kit.usdcOf(from)) === amount)
    const draft = payment(from)
    door.faults.swallow = 1
    await kit.send(draft)
    const signed = await until('signed', () => kit.db.txs.findOne({ liveOps: draft.subject }))
    await openOperator(kit.db, async () => undefined).cancel(draft.subject)
    await until('replaced', async () => (await kit.db.txs.findOne({ liveOps: draft.subject }))?.attempts.some(attempt => attempt.noop))
    door.faults.swallow = 0
    await until('the empty one is in a block', async () => (await kit.db.ops.findOne({ _id: draft.subject }))?.failLater)
    return { draft, from, seen: Transaction.from(signed.attempts[0]!.raw!) }
  }

  it('is confirmed when somebody else submits it, and was never reported failed', async () => {
    const { draft, from, seen } = await cancelled()
    const stranger = Wallet.createRandom()
    await kit.rpc.call('anvil_setBalance', [stranger.address, '0xde0b6b3a7640000'])

    await kit.rpc.call('eth_sendRawTransaction', [await stranger.signTransaction({ ...fees, nonce: 0, to: seen.to!, data: seen.data })])

    await until('confirmed', () => outcomes(draft).includes('confirmed'), 30)
    assert.deepEqual([outcomes(draft).includes('failed'), await kit.usdcOf(from)], [false, 0n])
  })

  it('is reported cancelled once a final block is past the end of its authorisation', async () => {
    const { draft, from } = await cancelled()
    const tx = await kit.db.txs.findOne({ 'ops.opKey': draft.subject })
    const end = tx!.ops[0]!.validBefore!

    await kit.rpc.call('evm_increaseTime', [700])

    const failed = await until('failed', () => kit.of(draft.subject, 'failed')[0], 30)
    const head = Number(await kit.rpc.call('eth_blockNumber', []))
    const final = (await kit.rpc.call('eth_getBlockByNumber', [`0x${(head - 2).toString(16)}`, false])) as { timestamp: string }
    assert.ok(Number(final.timestamp) >= end)
    assert.deepEqual([failed.data.code, await kit.usdcOf(from)], ['CANCELLED', amount])
  })

  it('that is past its deadline then waits for the same end, also where the record of its transaction does not name it', async () => {
    const lane = (await kit.start({ finality: 2 })).current()!
    const op = newOp(chainCommand.parse(payment(wallet()).data), lane.id, 1, 1, null)
    const headMs = lane.head.time * 1_000
    const carrier = (nonce: number, signedAt: number, validBefore?: number) => ({
      ...{ _id: `${op._id}/${nonce}`, lane: 'another lane', nonce, signedAt },
      ops: [{ opKey: op._id, round: 1, seq: 1, batchId: null, ...(validBefore === undefined ? {} : { validBefore }) }],
    })
    const insert = (record: object) => kit.db.txs.insertOne(record as Tx)
    const wait = () => includableMs(lane, op, endChecks(lane))

    const waits = [await wait()]
    await insert(carrier(1, headMs, lane.head.time - 60))
    waits.push(await wait())
    await insert(carrier(2, headMs - 700_000))
    waits.push(await wait())
    await insert(carrier(3, headMs))
    waits.push(await wait())

    assert.deepEqual(waits, [0, 0, 0, 10_000])
  })
})
