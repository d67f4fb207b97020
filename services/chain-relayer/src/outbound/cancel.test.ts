import assert from 'node:assert/strict'
import { type FaultyNode, seeded, startFaultyNode, until } from '@carapace/testing'
import { type Kit, startKit } from '../testing/kit.ts'
import { allOver, assertExactlyOnce, countableKinds, fundTokens, makeWork } from '../testing/workload.ts'
import { type Operator, openOperator } from './operator.ts'

describe('cancelling an operation that is signed', () => {
  let kit: Kit
  let door: FaultyNode
  let operator: Operator
  before(async () => {
    kit = await startKit()
    await fundTokens(kit.rpc, kit.devnet.addresses)
    door = await startFaultyNode(kit.devnet.wsUrl, seeded(5))
    operator = openOperator(kit.db, async () => undefined)
    await kit.start({ rpcUrl: door.url, commandOf: countableKinds, batchSize: 1 })
  })
  after(async () => {
    await kit.close()
    await door.close()
  })
  const isSigned = (opKey: string) => until('signed', () => kit.db.txs.findOne({ liveOps: opKey }))

  it('puts an empty transaction into its slot, and the others go on', async () => {
    const work = makeWork(3)
    door.faults.swallow = 1
    await kit.send(...work.map(one => one.draft))
    for (const { draft } of work) await isSigned(draft.subject)
    const cancelled = work[1]!.draft.subject
    await operator.cancel(cancelled)
    await until('replaced', async () => (await kit.db.txs.findOne({ liveOps: cancelled }))?.attempts.some(attempt => attempt.noop))
    door.faults.swallow = 0

    await allOver(kit, work)
    await assertExactlyOnce(kit, work)
    const ended = kit.of(cancelled, 'failed')
    const failure = (await kit.db.ops.findOne({ _id: cancelled }))?.state
    assert.ok(failure === 'CANCELLED' ? ended[0]?.data.code === 'CANCELLED' : ended.length === 0, `it is ${failure}`)
  })

  it('that is over is refused', async () => {
    const [one] = makeWork(1)
    await kit.send(one!.draft)
    await allOver(kit, [one!])

    await assert.rejects(operator.cancel(one!.draft.subject), { code: 'INVALID_STATE' })
  })

  it('ends in one of both ways when its transaction is out already', async () => {
    const work = makeWork(12)
    const sent = kit.send(...work.map(one => one.draft))
    for (const { draft } of work) {
      await isSigned(draft.subject)
      await operator.cancel(draft.subject).catch(() => undefined)
    }

    await sent
    await allOver(kit, work)
    await assertExactlyOnce(kit, work)
  })
})
