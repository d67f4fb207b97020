import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Outcome, type Reservation, type ReservationStatus, type Step, stepFor, steps, take } from './reservation.ts'

const held: Reservation = {
  id: 'r1',
  owner: 'escrow',
  key: 'escrow.lock:g1',
  round: 2,
  agentId: 'a1',
  address: '0xA',
  amount: 7n,
  chain: 'BASE_SEPOLIA',
  purpose: 'test',
  day: '2026-03-04',
  contra: 'clearing:escrow.lock:g1',
  status: 'held',
  seq: 5,
  txHash: null,
}
const confirmed = (more: Partial<Outcome> = {}): Outcome =>
  ({ is: 'confirmed', key: held.key, round: 2, seq: 6, txHash: '0x1', spent: [], ...more }) as Outcome
const failed = (more: Partial<Outcome> = {}): Outcome => ({ is: 'failed', key: held.key, round: 2, seq: 6, code: 'REVERTED', ...more }) as Outcome
const spent = [{ from: '0xA', amount: 7n }]

describe('reservation', () => {
  const table: [string, ReservationStatus, Outcome, Step | undefined][] = [
    ['a confirmation captures what is held', 'held', confirmed(), 'capture'],
    ['a terminal failure frees what is held', 'held', failed(), 'void'],
    ['a confirmation in another block moves no money', 'captured', confirmed(), 'remine'],
    ['a failure after a reorganisation gives back what was captured', 'captured', failed(), 'undo'],
    ['a repeated confirmation changes nothing', 'captured', confirmed({ seq: 5 }), undefined],
    ['a failure that is older than what was followed changes nothing', 'captured', failed({ seq: 4 }), undefined],
    ['a repeated failure changes nothing', 'voided', failed(), undefined],
    ['a confirmation that is older than the failure changes nothing', 'voided', confirmed({ seq: 4 }), undefined],
    ['an earlier round says nothing', 'held', failed({ round: 1 }), undefined],
    ['a later round from another source says nothing', 'voided', confirmed({ round: 3 }), undefined],
    ['a later round that took this very money is booked', 'voided', confirmed({ round: 3, spent }), 'late'],
    ['a later round never ends what is held for this one', 'held', confirmed({ round: 3, spent }), undefined],
  ]
  for (const [title, status, outcome, step] of table) it(title, () => assert.equal(stepFor({ ...held, status }, outcome), step))

  it('a confirmation after the final failure of the same round is no normal case', () => {
    assert.throws(() => stepFor({ ...held, status: 'voided' }, confirmed()), /confirmed in round 2 after it had failed/)
  })

  it('is never captured twice and ends as the newest outcome says, in whatever order and however often outcomes come', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ is: fc.constantFrom('confirmed', 'failed'), seq: fc.integer({ min: 6, max: 12 }) }), { minLength: 1 }),
        told => {
          // the relayer: confirmations may be followed by one final failure, and nothing follows that one
          const last = Math.max(...told.map(({ seq }) => seq))
          const isFailed = told.find(({ seq }) => seq === last)!.is === 'failed'
          const outcomes = told.map(({ seq }) => (seq === last && isFailed ? failed({ seq }) : confirmed({ seq, txHash: `0x${seq}` })))
          let state = held
          let out = 0n
          for (const outcome of outcomes) {
            const step = stepFor(state, outcome)
            if (!step) continue
            assert.equal(steps[step].from, state.status)
            out += step === 'capture' ? held.amount : step === 'undo' ? -held.amount : 0n
            state = take(state, step, { seq: outcome.seq, round: outcome.round, ...(outcome.txHash ? { txHash: outcome.txHash } : {}) }).state
          }
          assert.equal(state.status, isFailed ? 'voided' : 'captured')
          assert.equal(out, isFailed ? 0n : held.amount)
          if (!isFailed) assert.equal(state.txHash, `0x${last}`)
        },
      ),
    )
  })
})
