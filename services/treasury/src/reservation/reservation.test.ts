import assert from 'node:assert/strict'
import { codeOf } from '@carapace/testing'
import fc from 'fast-check'
import {
  moveOf,
  type Outcome,
  postings,
  type Reservation,
  type ReservationStatus,
  releaseReservation,
  settleReservation,
  upgradeReservation,
} from './reservation.ts'

/** As reservations were stored before `onChain` was one field. */
const old = {
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
const of = (status: ReservationStatus, more: Partial<Reservation> = {}) => upgradeReservation({ ...old, status, ...more } as unknown as Reservation)
const held = of('held')
const confirmed = (more: Partial<Outcome> = {}): Outcome =>
  ({ is: 'confirmed', key: held.key, round: 2, seq: 6, txHash: '0x1', blockNumber: 9, spent: [], ...more }) as Outcome
const failed = (more: Partial<Outcome> = {}): Outcome =>
  ({ is: 'failed', key: held.key, round: 2, seq: 6, code: 'REVERTED', message: 'x', ...more }) as Outcome
const spent = [{ from: '0xA', amount: 7n }]
const others = [{ from: '0xB', amount: 7n }]

/** The movement of money that an outcome causes, `none` when it is followed without one, undefined when it is not followed. */
function moved(status: ReservationStatus, outcome: Outcome): string | undefined {
  const before = of(status)
  const decision = settleReservation(before, outcome)
  return decision && (moveOf(before, decision.state) ?? 'none')
}

describe('reservation', () => {
  const table: [string, ReservationStatus, Outcome, string | undefined][] = [
    ['a confirmation captures what is held', 'held', confirmed(), 'capture'],
    ['a terminal failure frees what is held', 'held', failed(), 'void'],
    ['a confirmation in another block moves no money', 'captured', confirmed(), 'none'],
    ['a failure after a reorganisation reverses what was captured', 'captured', failed(), 'reverse'],
    ['a repeated confirmation changes nothing', 'captured', confirmed({ seq: 5 }), undefined],
    ['a failure that is older than what was followed changes nothing', 'captured', failed({ seq: 4 }), undefined],
    ['a repeated failure changes nothing', 'voided', failed(), undefined],
    ['a confirmation that is older than the failure changes nothing', 'voided', confirmed({ seq: 4 }), undefined],
    ['a failure of an earlier round changes nothing', 'held', failed({ round: 1 }), undefined],
    ['a later round from another source changes nothing', 'voided', confirmed({ round: 3 }), undefined],
    ['a later round that spent this very money is booked', 'voided', confirmed({ round: 3, spent }), 'late'],
    ['the effect of an earlier round by another wallet frees what is held', 'held', confirmed({ already: true, spent: others }), 'void'],
    ['the same gives back what was captured', 'captured', confirmed({ already: true, spent: others }), 'reverse'],
    ['the effect of an earlier round by this wallet captures what is held', 'held', confirmed({ already: true, spent }), 'capture'],
    ['what was freed so and is spent after a reorganisation is booked', 'voided', confirmed({ spent }), 'late'],
    ['an effect whose logs are away leaves what is held', 'held', confirmed({ already: true }), undefined],
    ['the same leaves what was freed', 'voided', confirmed({ already: true }), undefined],
    ['a late effect of this wallet is booked', 'voided', confirmed({ already: true, spent }), 'late'],
    ['a late effect of another wallet leaves what was freed', 'voided', confirmed({ already: true, spent: others }), undefined],
    ['a later round that spent this very money captures what is held', 'held', confirmed({ round: 3, spent }), 'capture'],
    ['a later round that spent the money of others frees what is held', 'held', confirmed({ round: 3, spent: others }), 'void'],
    ['a failure of a later round frees what is held', 'held', failed({ round: 3 }), 'void'],
    ['a later round without logs leaves what is held: nobody knows whose money it was', 'held', confirmed({ round: 3 }), undefined],
    ['a failure of a later round leaves what was captured', 'captured', failed({ round: 3 }), undefined],
  ]
  for (const [title, status, outcome, move] of table) it(title, () => assert.equal(moved(status, outcome), move))

  it('that was stored before `onChain` was one field knows its last outcome', () => {
    const captured = upgradeReservation({ ...old, status: 'captured', txHash: '0x1' } as unknown as Reservation)

    assert.deepEqual(captured.onChain, { status: 'confirmed', txHash: '0x1', blockNumber: null, error: null, round: 2, seq: 5 })
    assert.equal('seq' in captured, false)
    assert.equal(upgradeReservation(captured), captured)
  })

  it('of a payment is booked when its authorisation was used after its failure, also without logs, once', () => {
    const voided = of('voided', { owner: 'treasury' })
    const late = confirmed({ already: true })

    const { state } = settleReservation(voided, late)!

    assert.equal(moveOf(voided, state), 'late')
    assert.equal(settleReservation(state, late), undefined)
  })

  it('stays with its round when a later one frees it, and gets the round that spent its money', () => {
    assert.equal(settleReservation(held, failed({ round: 3 }))?.state.round, 2)
    assert.equal(settleReservation(held, confirmed({ round: 3, spent }))?.state.round, 3)
  })

  it('refuses a confirmation after the final failure of the same round with INVALID_STATE', () => {
    assert.equal(
      codeOf(() => settleReservation(of('voided'), confirmed())),
      'INVALID_STATE',
    )
  })

  it('has an entry of its own for each time that the chain changes whose money a round spent', () => {
    const flips = [others, spent, others, spent].map((moves, n) => confirmed({ seq: 6 + n, already: moves === others, spent: moves }))
    let state = held
    const keys: string[] = []
    for (const outcome of flips) {
      const next = settleReservation(state, outcome)!.state
      keys.push(...postings(state, next).map(({ key }) => key))
      state = next
    }

    assert.deepEqual([state.status, keys.length, new Set(keys).size], ['captured', 4, 4])
  })

  it('stores the hash of a submitted transaction while its outcome is open', () => {
    const submitted: Outcome = { is: 'submitted', key: held.key, round: 2, seq: 6, txHash: '0x7' }
    assert.equal(settleReservation(held, submitted)?.state.onChain.txHash, '0x7')
    assert.equal(settleReservation(of('captured'), submitted), undefined)
  })

  it('is given back once when its command is never sent', () => {
    const { state } = releaseReservation(held)
    assert.deepEqual([state.status, postings(held, state).map(({ key }) => key)], ['voided', ['void:r1:2']])
    assert.equal(
      codeOf(() => releaseReservation(of('captured'))),
      'INVALID_STATE',
    )
  })

  it('is never captured twice and ends as the newest outcome says, in any order and however often outcomes come', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ is: fc.constantFrom('confirmed', 'failed'), seq: fc.integer({ min: 6, max: 12 }) }), { minLength: 1 }),
        published => {
          // the relayer: confirmations may be followed by one final failure, and nothing follows that one
          const last = Math.max(...published.map(({ seq }) => seq))
          const isFailed = published.find(({ seq }) => seq === last)!.is === 'failed'
          const outcomes = published.map(({ seq }) => (seq === last && isFailed ? failed({ seq }) : confirmed({ seq, txHash: `0x${seq}` })))
          let state = held
          let out = 0n
          const keys: string[] = []
          for (const outcome of outcomes) {
            const next = settleReservation(state, outcome)?.state
            if (!next) continue
            const move = moveOf(state, next)
            out += move === 'capture' ? held.amount : move === 'reverse' ? -held.amount : 0n
            keys.push(...postings(state, next).map(({ key }) => key))
            state = next
          }
          assert.equal(state.status, isFailed ? 'voided' : 'captured')
          assert.equal(out, isFailed ? 0n : held.amount)
          assert.equal(new Set(keys).size, keys.length)
          if (!isFailed) assert.equal(state.onChain.txHash, `0x${last}`)
        },
      ),
    )
  })
})
