import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chainCommand, type Draft, outcomeNameOf } from '@carapace/api'
import { commands } from '@carapace/chain'
import { newHash, until } from '@carapace/testing'
import { wallet } from '../testing/kit.ts'
import { kitPerTest } from '../testing/kit-per-test.ts'
import { newOp } from './intake.ts'

const chain = 'BASE_SEPOLIA'

describe('a command whose deadline has passed', function () {
  this.timeout(120_000)
  const kit = kitPerTest()

  const end = ({ subject }: Draft) =>
    until('it ended', () =>
      kit
        .of(subject)
        .map(({ type, data }) => ({ is: outcomeNameOf(type), data }))
        .findLast(({ is }) => is === 'confirmed' || is === 'failed'),
    )

  it('that a transaction has carried is confirmed when the chain has its effect', async () => {
    const first = await kit.start({ finality: 2 })
    const draft = commands.faucetMint({ chain, requestId: randomUUID(), to: wallet(), amount: 5n })
    await kit.send(draft)
    const { data: confirmed } = await end(draft)
    await first.close()
    // it was queued again by a reorganisation, which then included the transaction after all
    await kit.db.txs.updateOne({ 'ops.opKey': draft.subject }, { $unset: { liveOps: 1 }, $set: { state: 'FINAL', unfinished: false } })
    const { matchedCount } = await kit.db.ops.updateOne(
      { _id: draft.subject },
      {
        $set: {
          state: 'QUEUED',
          result: null,
          attempts: 0,
          txHash: String(confirmed.txHash),
          deadline: Date.now() - 1,
          seq: Number(confirmed.seq) + 1,
        },
      },
    )
    assert.equal(matchedCount, 1)

    await kit.start({ finality: 2 })

    const last = await until('it ended again', async () => {
      const found = await end(draft)
      return Number(found.data.seq) > Number(confirmed.seq) + 1 && found
    })
    assert.deepEqual([last.is, last.data.already, last.data.txHash], ['confirmed', true, confirmed.txHash])
  })

  it('whose stored arguments are of an old form ends, and the lane goes on', async () => {
    const lane = await kit.start({ finality: 2 })
    const term = lane.current()
    const assign = commands.jobAssign({ chain, jobId: randomUUID(), jobKey: `0x${'1'.repeat(64)}`, provider: wallet() })
    const command = chainCommand.parse(assign.data)
    const { jobKey: _, ...args } = command.args
    const op = newOp({ ...command, args }, term!.id, Date.now() * 1_000, Date.now(), null)
    await kit.db.ops.insertOne({ ...op, attempts: 1, deadline: Date.now() - 1 })

    const { is } = await end(assign)

    assert.equal(is, 'failed')
    const mint = commands.faucetMint({ chain, requestId: randomUUID(), to: wallet(), amount: 5n })
    await kit.send(mint)
    assert.equal((await end(mint)).is, 'confirmed')
    assert.equal(lane.current(), term)
  })

  const lateLock = () =>
    commands.escrowLock({
      ...{ gigId: randomUUID(), poster: wallet(), payee: wallet(), amount: 5n, source: { kind: 'allowance' } },
      ...{ chain, deadline: new Date(Date.now() - 1) },
    })

  it('that none has carried is failed EXPIRED', async () => {
    await kit.start({ finality: 2 })
    const draft = lateLock()
    await kit.send(draft)

    const { is, data } = await end(draft)

    assert.deepEqual([is, data.code], ['failed', 'EXPIRED'])
  })

  it('that was signed, and queued again because an empty transaction replaced it, is failed under another code than EXPIRED', async () => {
    const lane = await kit.start({ finality: 2 })
    const draft = lateLock()
    const op = newOp(chainCommand.parse(draft.data), lane.current()!.id, Date.now() * 1_000, Date.now(), null)
    await kit.db.ops.insertOne({ ...op, txHash: newHash() })

    const { is, data } = await end(draft)

    assert.deepEqual([is, data.code, data.attempts], ['failed', 'REPLACED', 0])
  })
})
