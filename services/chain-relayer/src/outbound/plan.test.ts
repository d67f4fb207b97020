import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { QueuedOp } from '../lane/records.ts'
import { type Candidate, plan } from './plan.ts'

const candidate = fc.record({
  aggregate: fc.constantFrom('a', 'b', 'c'),
  batchable: fc.boolean(),
  must: fc.boolean(),
  gas: fc.integer({ min: 1, max: 60 }),
})
const limits = fc.record({ slots: fc.integer({ min: 1, max: 10 }), batchSize: fc.integer({ min: 1, max: 8 }), batchGas: fc.constant(100n) })
const candidates = fc.array(candidate, { maxLength: 40 }).map(list =>
  list.map(
    ({ aggregate, batchable, must, gas }, index): Candidate => ({
      op: { _id: String(index), aggregateKey: aggregate, order: index } as QueuedOp,
      gas: BigInt(gas),
      batchable,
      batched: batchable && must,
    }),
  ),
)

describe('a plan', () => {
  it('stays within its limits and carries nothing twice', () => {
    fc.assert(
      fc.property(candidates, limits, (list, { slots, batchSize, batchGas }) => {
        const groups = plan(list, { slots, batchSize, batchGas })
        const carried = groups.flatMap(group => group.members.map(member => member.op._id))
        assert.ok(groups.length <= slots)
        assert.equal(new Set(carried).size, carried.length)
        for (const { batch, members } of groups) {
          assert.ok(members.length <= Math.max(1, batchSize))
          assert.ok(members.length === 1 || members.reduce((sum, member) => sum + member.gas, 0n) <= batchGas)
          assert.ok(batch ? members.every(member => member.batchable) : members.length === 1 && !members[0]!.batched)
        }
      }),
    )
  })

  it('preserves the order of every aggregate', () => {
    fc.assert(
      fc.property(candidates, limits, (list, bounds) => {
        const last = new Map<string, number>()
        for (const { op } of plan(list, bounds).flatMap(group => group.members)) {
          assert.ok(op.order > (last.get(op.aggregateKey) ?? -1))
          last.set(op.aggregateKey, op.order)
        }
      }),
    )
  })

  it('does not batch what comes alone', () => {
    const [only] = plan([{ op: { _id: '1', aggregateKey: 'a', order: 1 } as QueuedOp, gas: 1n, batchable: true, batched: false }], {
      slots: 5,
      batchSize: 50,
      batchGas: 100n,
    })
    assert.equal(only?.batch, false)
  })
})
