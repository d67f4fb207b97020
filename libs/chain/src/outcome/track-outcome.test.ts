import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type CommandOutcome, type CommandState, type TrackedOutcome, trackOutcome } from './track-outcome.ts'

const state = (status: CommandState['status'], seq: number, round = 1): CommandState => ({ round, seq, status })
const outcome = (is: CommandOutcome['is'], seq: number, round = 1, terminal = true): CommandOutcome => ({ is, round, seq, terminal })

const statusAfter: Record<Exclude<TrackedOutcome, 'stale'>, CommandState['status']> = {
  submitted: 'pending',
  confirmed: 'confirmed',
  reincluded: 'confirmed',
  finalized: 'confirmed',
  failed: 'failed',
  reorged: 'pending',
}
const follow = (current: CommandState, next: CommandOutcome): CommandState => {
  const tracked = trackOutcome(current, next)
  return tracked === 'stale' ? current : { round: Math.max(current.round, next.round), seq: next.seq, status: statusAfter[tracked] }
}

describe('trackOutcome', () => {
  const cases: [string, CommandState, CommandOutcome, TrackedOutcome][] = [
    ['a first submission', state('pending', 0), outcome('submitted', 1), 'submitted'],
    ['a confirmation', state('pending', 1), outcome('confirmed', 2), 'confirmed'],
    ['a confirmation under the number of its submission', state('pending', 1), outcome('confirmed', 1), 'confirmed'],
    ['a failure under the number of its submission', state('pending', 1), outcome('failed', 1), 'failed'],
    ['a repeated confirmation', state('confirmed', 2), outcome('confirmed', 2), 'stale'],
    ['a confirmation in another block', state('confirmed', 2), outcome('confirmed', 4), 'reincluded'],
    ['a late submission', state('confirmed', 2), outcome('submitted', 1), 'stale'],
    ['a late submission after a failure', state('failed', 2), outcome('submitted', 1), 'stale'],
    ['a reorganisation', state('confirmed', 2), outcome('reorged', 3), 'reorged'],
    ['a confirmation from before a reorganisation', state('pending', 3), outcome('confirmed', 2), 'stale'],
    ['a repeated reorganisation', state('pending', 3), outcome('reorged', 3), 'stale'],
    ['a failure after a reorganisation', state('pending', 3), outcome('failed', 4), 'failed'],
    ['a failure of what was confirmed', state('confirmed', 2), outcome('failed', 4), 'failed'],
    ['a failure that is older than the confirmation', state('confirmed', 4), outcome('failed', 3), 'stale'],
    ['a refused command', state('pending', 1), outcome('failed', 9, 1, false), 'stale'],
    ['a failure of an earlier round', state('pending', 2, 2), outcome('failed', 3, 1), 'stale'],
    ['a repeated failure after the next round was sent', state('pending', 3, 2), outcome('failed', 3, 1), 'stale'],
    ['a submission of an earlier round', state('pending', 0, 2), outcome('submitted', 1, 1), 'stale'],
    ['an effect of an earlier round', state('pending', 3, 2), outcome('confirmed', 4, 1), 'confirmed'],
    ['a later round that an operator sent', state('failed', 4, 1), outcome('confirmed', 6, 2), 'confirmed'],
    ['finality', state('confirmed', 2), outcome('finalized', 3), 'finalized'],
    ['finality without a confirmation', state('pending', 1), outcome('finalized', 3), 'finalized'],
  ]
  for (const [title, current, next, expected] of cases) {
    it(`calls ${title} ${expected}`, () => {
      assert.equal(trackOutcome(current, next), expected)
    })
  }

  it('ends in the state of the newest outcome, in any order and however often they arrive', () => {
    const steps = fc.array(fc.constantFrom('reincluded' as const, 'failed' as const, 'lost' as const), { maxLength: 4 })
    const anyOrder = steps.chain(later => {
      const published: CommandOutcome[] = [outcome('submitted', 1), outcome('confirmed', 2)]
      for (const step of later) {
        const { seq, round, is } = published.at(-1)!
        if (is === 'failed') published.push(outcome('submitted', seq + 1, round + 1), outcome('confirmed', seq + 2, round + 1))
        else if (step === 'lost') published.push(outcome('reorged', seq + 1, round))
        else published.push(outcome('reorged', seq + 1, round), outcome(step === 'failed' ? 'failed' : 'confirmed', seq + 2, round))
      }
      const repeated = [...published, ...published]
      return fc.tuple(fc.constant(published), fc.shuffledSubarray(repeated, { minLength: repeated.length }))
    })
    fc.assert(
      fc.property(anyOrder, ([published, arriving]) => {
        const last = published.at(-1)!
        const end = arriving.reduce(follow, state('pending', 0))
        const inOrder = published.reduce(follow, state('pending', 0))
        assert.deepEqual(end, inOrder)
        assert.deepEqual([end.seq, end.round], [last.seq, last.round])
      }),
    )
  })
})
