import assert from 'node:assert/strict'
import { observedOutcome } from './observed-outcome.ts'
import { followOutcome, sentOnChain } from './on-chain.ts'

const failed = { is: 'failed', round: 1, seq: 2, code: 'REVERTED', message: 'Escrow_SlotTaken(0x01)' } as const

describe('observedOutcome', () => {
  const cases: [string, Parameters<typeof observedOutcome>[0], ReturnType<typeof observedOutcome>][] = [
    ['a submission', { is: 'submitted', round: 1, seq: 1, txHash: '0x1' }, { is: 'submitted', round: 1, seq: 1, txHash: '0x1' }],
    [
      'a confirmation',
      { is: 'confirmed', round: 1, seq: 2, txHash: '0x1', blockNumber: 7 },
      { is: 'confirmed', round: 1, seq: 2, txHash: '0x1', blockNumber: 7 },
    ],
    ['a reorganisation', { is: 'reorged', round: 1, seq: 3 }, { is: 'reorged', round: 1, seq: 3 }],
    [
      'a failure by its code and message',
      failed,
      { is: 'failed', round: 1, seq: 2, terminal: true, txHash: null, error: 'REVERTED: Escrow_SlotTaken(0x01)' },
    ],
    [
      "a failure by the contract's own error where it is decoded",
      { ...failed, txHash: '0x1', terminal: false, revert: { name: 'Escrow_SlotTaken' } },
      { is: 'failed', round: 1, seq: 2, terminal: false, txHash: '0x1', error: 'REVERTED: Escrow_SlotTaken' },
    ],
  ]
  for (const [title, received, expected] of cases) {
    it(`gives ${title}`, () => {
      assert.deepEqual(observedOutcome(received), expected)
    })
  }

  it('stores at most 500 characters of a failure', () => {
    assert.equal(followOutcome(sentOnChain, observedOutcome({ ...failed, message: 'x'.repeat(900) }))?.error?.length, 500)
  })
})
