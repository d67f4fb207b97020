import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Draft, outcomeNameOf } from '@carapace/api'
import { commands } from '@carapace/chain'
import { until } from '@carapace/testing'
import { openOutcomes } from '../inbound/outcomes.ts'
import { openOperator } from '../outbound/operator.ts'
import { dropFrom, wallet } from '../testing/kit.ts'
import { faultyKitPerTest } from '../testing/kit-per-test.ts'
import { effectOf, makeWork } from '../testing/workload.ts'

const chain = 'BASE_SEPOLIA'

describe('a command that the chain carries out after it was reported failed', function () {
  this.timeout(120_000)
  const { kit, door } = faultyKitPerTest(3)

  const head = async () => Number(await kit.rpc.call('eth_blockNumber', []))
  const outcomes = ({ subject }: Draft) =>
    kit.of(subject).flatMap(({ type, data }) => (data.terminal === false ? [] : [{ is: outcomeNameOf(type), data }]))
  const last = (draft: Draft) => outcomes(draft).at(-1)
  const ends = (draft: Draft, is: string) => until(is, () => (last(draft)?.is === is ? last(draft)!.data : undefined), 20)
  const stored = ({ subject }: Draft) => kit.db.ops.findOne({ _id: subject })
  const paid = (draft: Draft, to: string) => effectOf(kit.rpc, kit.devnet.addresses, { draft, to, kind: 'token' })

  /** A payment that was cancelled: an empty transaction has its slot. @returns its own bytes, and how deep that slot's block is now */
  async function cancelled() {
    const lane = await kit.start({ rpcUrl: door.url, batchSize: 1, finality: 12 })
    const to = wallet()
    const draft = commands.faucetMint({ chain, requestId: randomUUID(), to, amount: 5n })
    const before = await head()
    door.faults.swallow = 1
    await kit.send(draft)
    const { attempts } = (await until('signed', () => kit.db.txs.findOne({ liveOps: draft.subject })))!
    await openOperator(kit.db, async () => undefined).cancel(draft.subject)
    await until('replaced', async () => (await kit.db.txs.findOne({ liveOps: draft.subject }))?.attempts.some(({ noop }) => noop))
    door.faults.swallow = 0
    const { seq } = await ends(draft, 'failed')
    assert.equal((await stored(draft))?.state, 'CANCELLED')
    return { lane, draft, to, raw: attempts[0]!.raw!, seq: Number(seq), depth: async () => (await head()) - before }
  }

  it('is confirmed with a higher number, and fails again when that block is dropped, too', async () => {
    const { draft, to, raw, seq, depth } = await cancelled()

    await kit.rpc.call('anvil_reorg', [await depth(), [[raw, 0]]])

    const confirmed = await ends(draft, 'confirmed')
    assert.equal(await paid(draft, to), 5n)
    assert.deepEqual([confirmed.round, confirmed.already, (confirmed.logs as unknown[]).length > 0], [1, true, true])
    assert.ok(Number(confirmed.seq) > seq)
    assert.equal((await stored(draft))?.state, 'CONFIRMED')

    await dropFrom(kit.rpc, Number(confirmed.blockNumber))

    const failed = await ends(draft, 'failed')
    assert.deepEqual(
      outcomes(draft).map(({ is }) => is),
      ['submitted', 'failed', 'confirmed', 'reorged', 'failed'],
    )
    assert.ok(Number(failed.seq) > Number(confirmed.seq))
    assert.deepEqual([failed.code, (await stored(draft))?.state, await paid(draft, to)], ['CANCELLED', 'CANCELLED', 0n])
    assert.equal(new Set(kit.of(draft.subject, 'failed').map(({ id }) => id)).size, 2)
  })

  it('has not ended before no block can include its transaction', async () => {
    const { lane, draft } = await cancelled()
    const outcomes = openOutcomes(kit.db, new Map([[chain, { parts: lane.current()! }]]), { now: () => new Date() })
    const ended = async () => {
      const answer = await outcomes.of({ operations: [{ opKey: draft.subject, seq: 0 }], finality: true, events: false })
      const outcome = answer.outcomes[0]!
      assert.ok(outcome.failed && outcome.decidedAt !== null)
      return outcome.ended
    }
    assert.equal(await ended(), false)

    await kit.rpc.call('anvil_mine', ['0x10'])

    await until('it has ended', ended, 20)
  })

  it('ends the next round that was requested meanwhile with what it did', async () => {
    const { draft, to, raw, depth } = await cancelled()
    await kit.rpc.call('anvil_reorg', [await depth(), [[raw, 0]]])
    const confirmed = await ends(draft, 'confirmed')
    const { requestId } = (draft.data as { args: { requestId: string } }).args

    await kit.send(commands.faucetMint({ chain, requestId, to, amount: 5n, round: 2 }))

    const again = await until('of the second round', () => outcomes(draft).find(({ is, data }) => is === 'confirmed' && data.round === 2)?.data)
    assert.deepEqual([again.already, again.txHash, again.logs], [true, confirmed.txHash, confirmed.logs])
    assert.ok(Number(again.seq) > Number(confirmed.seq))
    await ends(draft, 'finalized')
    assert.deepEqual([(await stored(draft))?.state, await paid(draft, to)], ['FINAL', 5n])
  })

  it('stays confirmed for the next leader, who publishes it again, and becomes final', async () => {
    const { lane, draft, raw, depth } = await cancelled()
    await kit.rpc.call('anvil_reorg', [await depth(), [[raw, 0]]])
    const confirmed = await ends(draft, 'confirmed')
    await lane.close()
    const work = makeWork(3, chain, ['native'])

    await kit.start({ finality: 2 })
    await kit.send(...work.map(one => one.draft))

    const final = await ends(draft, 'finalized')
    assert.deepEqual([final.blockHash, (await stored(draft))?.state], [confirmed.blockHash, 'FINAL'])
    assert.equal(new Set(kit.of(draft.subject, 'confirmed').map(({ id }) => id)).size, 1)
  })

  it('is answered with the logs of its effect although they were away when it was found', async () => {
    const lane = await kit.start({ finality: 2 })
    const draft = commands.faucetMint({ chain, requestId: randomUUID(), to: wallet(), amount: 5n })
    await kit.send(draft)
    const { txHash, logs } = await ends(draft, 'finalized')
    const found = { txHash: `0x${'1'.repeat(64)}`, blockNumber: 1, blockHash: `0x${'2'.repeat(64)}`, blockTime: 1, logs: [], already: true as const }
    await until('stored', async () => (await stored(draft))?.state === 'FINAL')
    await kit.db.ops.updateOne({ _id: draft.subject }, { $set: { result: found } })

    const outcomes = openOutcomes(kit.db, new Map([[chain, { parts: lane.current()! }]]), { now: () => new Date() })
    const answer = await outcomes.of({ operations: [{ opKey: draft.subject, seq: 0 }], finality: true, events: true })

    for (const { data } of answer.outcomes[0]!.events) assert.deepEqual([data.already, data.txHash, data.logs], [true, txHash, logs])
    assert.equal(answer.outcomes[0]!.events.length, 2)
  })

  it('is confirmed also where only the failure was stored when the process ended', async () => {
    const first = await kit.start({ finality: 100 })
    const draft = commands.faucetMint({ chain, requestId: randomUUID(), to: wallet(), amount: 5n })
    await kit.send(draft)
    const { seq } = await ends(draft, 'confirmed')
    await first.close()
    const failed = { state: 'FAILED', error: { code: 'REVERTED', message: 'dropped' }, result: null, seq: Number(seq) } as const
    await kit.db.ops.updateOne({ _id: draft.subject }, { $set: failed })

    await kit.start({ finality: 2 })

    await ends(draft, 'finalized')
    const { data: confirmed } = kit.of(draft.subject, 'confirmed').at(-1)!
    assert.deepEqual([Number(confirmed.seq) > Number(seq), (await stored(draft))?.state], [true, 'FINAL'])
  })
})
