import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chainCommand, type Draft } from '@carapace/api'
import { commands } from '@carapace/chain'
import { until } from '@carapace/testing'
import type { Lane } from '../lane/lane.ts'
import type { QueuedOp } from '../lane/records.ts'
import { RpcUnavailable } from '../rpc/rpc.ts'
import { type Kit, startKit, wallet } from '../testing/kit.ts'
import { endUnsigned } from './endings.ts'
import { newOp } from './intake.ts'
import { endChecks } from './public-authorization.ts'

const chain = 'BASE_SEPOLIA'
const perPass = 20
const error = { code: 'REVERTED', message: 'it failed in a block' } as const

describe('the endings of one pass', function () {
  this.timeout(120_000)
  let kit: Kit
  let lane: Lane
  before(async () => {
    kit = await startKit()
    lane = (await kit.start({ finality: 2 })).current()!
  })
  after(() => kit.close())

  /** By an authorisation in its arguments, which has ended. */
  const settlement = (): Draft =>
    commands.treasurySettleX402({
      ...{ chain, paymentId: randomUUID(), from: wallet(), to: wallet(), amount: 5n, nonce: `0x${'1'.repeat(64)}` },
      ...{ validAfter: 0n, validBefore: 1n, signature: `0x${'1'.repeat(130)}` },
    })
  const mint = (): Draft => commands.faucetMint({ chain, requestId: randomUUID(), to: wallet(), amount: 5n })
  /** Operations that the lane has not loaded: it searches for younger ones only. */
  async function stored(count: number, draft: () => Draft, more: Partial<QueuedOp> = {}): Promise<QueuedOp[]> {
    const ops = Array.from({ length: count }, () => ({ ...newOp(chainCommand.parse(draft().data), lane.id, 1, 1, null), ...more }))
    await kit.db.ops.insertMany(ops)
    return ops
  }
  const endingsOf = (ops: readonly QueuedOp[]) => ops.map(op => ({ op, error }))
  const statesOf = async (ops: readonly QueuedOp[]) => {
    const found = await kit.db.ops.find({ _id: { $in: ops.map(({ _id }) => _id) } }).toArray()
    const states = new Map(found.map(op => [op._id, op.state]))
    return ops.map(({ _id }) => states.get(_id))
  }
  const failing = (fault: Error): Lane => ({ ...lane, rpc: { ...lane.rpc, call: () => Promise.reject(fault) } })

  it('are twenty of those that may have to be checked on chain, and the others in the next ones', async () => {
    const ops = await stored(perPass + 5, settlement)

    await endUnsigned(lane, endingsOf(ops), endChecks(lane))
    const afterOne = await statesOf(ops)
    await endUnsigned(lane, endingsOf(ops.slice(perPass)), endChecks(lane))

    assert.deepEqual(afterOne, [...Array(perPass).fill('FAILED'), ...Array(5).fill('QUEUED')])
    assert.deepEqual(await statesOf(ops), Array(perPass + 5).fill('FAILED'))
  })

  it('are all of those whose effect need not be read', async () => {
    const ops = await stored(perPass + 5, mint)

    await endUnsigned(lane, endingsOf(ops), endChecks(lane))

    assert.deepEqual(await statesOf(ops), Array(perPass + 5).fill('FAILED'))
  })

  it('are all of them at a start, which has no limit', async () => {
    const ops = await stored(perPass + 5, settlement)

    await endUnsigned(lane, endingsOf(ops))

    assert.deepEqual(await statesOf(ops), Array(perPass + 5).fill('FAILED'))
  })

  const publicOnes = (count: number) => stored(count, settlement, { openUntil: 1 })
  const notesOf = async ({ _id }: QueuedOp) => {
    const { failLater, nextAt = 0, attempts } = (await kit.db.ops.findOne({ _id }))!
    return { failLater, isLater: nextAt > Date.now(), attempts }
  }

  it('leave one that cannot be checked for a later pass, with its reason, and check no more of them while the node is away', async () => {
    const [first, second, other] = [...(await publicOnes(2)), ...(await stored(1, mint))] as [QueuedOp, QueuedOp, QueuedOp]
    let calls = 0
    const away = failing(new RpcUnavailable('no answer'))
    const rpc: Lane['rpc'] = {
      ...away.rpc,
      call: (...call) => {
        calls += 1
        return away.rpc.call(...call)
      },
    }
    const checks = endChecks({ ...away, rpc })

    await endUnsigned({ ...away, rpc }, endingsOf([first, second, other]), checks)

    assert.deepEqual(await statesOf([first, second, other]), ['QUEUED', 'QUEUED', 'FAILED'])
    const { failLater, isLater } = await notesOf(first)
    assert.deepEqual([failLater, isLater], [error, true])
    assert.deepEqual([(await notesOf(second)).failLater, calls], [undefined, 1])
    await endUnsigned(lane, endingsOf([first, second]), endChecks(lane))
    await until('both have ended', async () => (await statesOf([first, second])).every(state => state === 'FAILED'))
  })

  it('go on with the next one after a fault of another kind', async () => {
    const ops = await publicOnes(2)
    const broken = failing(new Error('an answer that nobody can read'))

    await endUnsigned(broken, endingsOf(ops), endChecks(broken))

    for (const op of ops) assert.deepEqual((await notesOf(op)).failLater, error)
  })

  it('at a start fail with the fault: the next start tries them again', async () => {
    const away = failing(new RpcUnavailable('no answer'))

    await assert.rejects(endUnsigned(away, endingsOf(await publicOnes(1))), RpcUnavailable)
  })
})
