import assert from 'node:assert/strict'
import type { Escrow, Settlement } from '../escrow/escrow.ts'
import type { Status } from '../escrow/escrow-states.ts'
import { assignment, blank, start } from '../testing/facts.ts'
import { sourceOf } from './reward-source.ts'

describe('the source of rewards of a gig', () => {
  const settlement = { fee: 1_000_000n, settledAt: start, undone: 1 } as Settlement
  const ended = (status: Status, more: Partial<Escrow> = {}): Escrow => ({ ...blank(), assignment, settlement, status, ...more })
  const cases: [string, Escrow, ['fee' | 'refund', bigint] | undefined][] = [
    ['is the fee that was paid', ended('released'), ['fee', 1_000_000n]],
    ['of a payment without a fee is nothing', ended('released', { settlement: { ...settlement, fee: 0n } }), ['refund', 0n]],
    ['of a refunded one, also after a reversed payment, is what it would have paid', ended('refunded'), ['refund', 1_200_000n]],
    ['of one without an assignee is nothing', ended('refunded', { assignment: null }), ['refund', 0n]],
    ['of one whose lock is reversed too is nothing', ended('unfunded'), ['refund', 0n]],
    ['stays what it was while a payment waits to be made again', ended('releasing'), undefined],
    ['is not there before an end', ended('locked', { settlement: null }), undefined],
    ['is not there for a gig that was never funded', ended('unfunded', { settlement: null }), undefined],
  ]
  for (const [title, escrow, expected] of cases)
    it(title, () => {
      const source = sourceOf(escrow)
      assert.deepEqual(source && [source.kind, source.fee], expected)
    })
})
