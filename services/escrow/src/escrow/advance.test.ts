import assert from 'node:assert/strict'
import { dayMs, hourMs } from '@carapace/api'
import fc from 'fast-check'
import { appeal, assignment, blank, chainAt, delivery, later, start, verdict, wallets } from '../testing/facts.ts'
import { advance, onTime, shares } from './advance.ts'
import type { Escrow } from './escrow.ts'
import { escrowStates, holdsMoney, type Status } from './escrow-states.ts'
import { lockConfirmed, lockFailed, reserveLock, sendLock } from './lock/transitions.ts'
import { postings } from './postings.ts'
import { refundSeen, releaseConfirmed, settleFailed } from './settlement/transitions.ts'

const moment = (now = start, timers = true) => ({ now, timers, splitTo: null })
const source = { kind: 'allowance' as const }
const confirmation = { ...chainAt, round: 1, seq: 1 }
const expired = { round: 1, seq: 1, code: 'EXPIRED', message: '' }
const scores = { posterScore: 15, assigneeScore: 15 }

const funding = (e: Escrow): Escrow =>
  sendLock(reserveLock(e, { operationId: 'o', kind: 'allowance', from: wallets.poster, poster: wallets.poster }).state, source).state
const locked = (e: Escrow, now = start): Escrow => lockConfirmed(funding(e), confirmation, moment(now))!.state
const assigned = { ...blank(), assignment, delivery }

describe('escrow rules', () => {
  it('divide every amount into fee, treasury and external part to the micro-USDC, the odd one external', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1_000n, max: 50_000_000_000n }), fc.integer({ min: 0, max: 1000 }), fc.boolean(), (amount, feeBp, isSplit) => {
        const { fee, treasury, external } = shares(amount, feeBp, isSplit)
        assert.equal(fee + treasury + external, amount)
        assert.ok(fee >= 0n && treasury >= 0n && external >= treasury && (isSplit ? external - treasury <= 1n : treasury === 0n))
      }),
    )
    assert.deepEqual(shares(250_000_000n, 150, true), { fee: 3_750_000n, treasury: 123_125_000n, external: 123_125_000n })
  })

  const decisions: [string, Partial<Escrow>, Date, Status][] = [
    ['an approved verdict releases', { verdict: verdict('approved') }, start, 'releasing'],
    ['a weak approval pays too', { verdict: verdict('approved', { weak: true }) }, start, 'releasing'],
    ['an approved verdict waits for its time', { verdict: verdict('approved', { settleAfter: later(dayMs) }) }, start, 'locked'],
    ['and releases when it has come', { verdict: verdict('approved', { settleAfter: later(dayMs) }) }, later(dayMs), 'releasing'],
    ['the poster ends that wait', { verdict: verdict('approved', { settleAfter: later(dayMs) }), posterReleased: true }, start, 'releasing'],
    ['a plain rejection refunds', { verdict: verdict('rejected') }, start, 'refunding'],
    ['a frozen rejection stays locked', { verdict: verdict('rejected', { frozen: true }) }, start, 'locked'],
    ['and refunds after 48 hours without an appeal', { verdict: verdict('rejected', { frozen: true }) }, later(48 * hourMs), 'refunding'],
    ['an appeal leaves it locked beyond that', { verdict: verdict('rejected', { frozen: true }), appeal: appeal() }, later(3 * dayMs), 'locked'],
    ['a won appeal releases', { verdict: verdict('rejected', { frozen: true }), appeal: appeal({ outcome: 'won' }) }, start, 'releasing'],
    ['a lost appeal refunds', { verdict: verdict('rejected', { frozen: true }), appeal: appeal({ outcome: 'lost' }) }, start, 'refunding'],
    ['an expired appeal refunds', { verdict: verdict('rejected', { frozen: true }), appeal: appeal({ outcome: 'expired' }) }, start, 'refunding'],
    [
      'an appeal without a panel disputes',
      { verdict: verdict('rejected', { frozen: true }), appeal: appeal({ oracleAssisted: true }) },
      later(dayMs),
      'disputed',
    ],
    ['an appeal that is never closed disputes', { verdict: verdict('rejected', { frozen: true }), appeal: appeal() }, later(5 * dayMs), 'disputed'],
    ['a weak rejection disputes', { verdict: verdict('rejected', { weak: true, frozen: true }) }, start, 'disputed'],
    ['no consensus disputes', { verdict: verdict('expired') }, start, 'disputed'],
    ['and refunds after 14 days', { verdict: verdict('expired') }, later(14 * dayMs), 'refunding'],
    ['no consensus under a raised threshold disputes', { verdict: verdict('expired', { byVotes: 'release' }) }, start, 'disputed'],
    ['and releases after 14 days where more approved', { verdict: verdict('expired', { byVotes: 'release' }) }, later(14 * dayMs), 'releasing'],
    ['and refunds where not', { verdict: verdict('expired', { byVotes: 'refund' }) }, later(14 * dayMs), 'refunding'],
    [
      'a weak rejection refunds after 14 days all the same',
      { verdict: verdict('rejected', { weak: true, frozen: true }) },
      later(14 * dayMs),
      'refunding',
    ],
    [
      'a dispute defaults to an approved verdict',
      { verdict: verdict('approved'), dispute: { agentId: 'a', reason: 'r', at: start } },
      later(14 * dayMs),
      'releasing',
    ],
    ['and to a refund without one', { dispute: { agentId: 'a', reason: 'r', at: start } }, later(14 * dayMs), 'refunding'],
    ['a cancelled gig refunds', { cancelled: { reason: 'withdrawn', at: start } }, start, 'refunding'],
    [
      'a cancelled gig refunds a dispute too',
      { dispute: { agentId: 'a', reason: 'r', at: start }, cancelled: { reason: 'expired', at: start } },
      start,
      'refunding',
    ],
    ['180 days without any fact refund', {}, later(180 * dayMs), 'refunding'],
  ]
  for (const [title, facts, now, status] of decisions) {
    it(title, () => {
      const { state } = advance({ ...locked(assigned), ...facts }, moment(now))

      assert.equal(state.status, status)
    })
  }

  it('a decision says whether there was a dispute', () => {
    const order = { release: true, by: 'oracle' as const, wallet: '0x1', reason: 'seen', at: start }
    const disputedIn = (escrow: Escrow, facts: Partial<Escrow>) =>
      advance({ ...escrow, ...facts }, moment())
        .events.filter(({ type }) => type === 'escrow.escrow.decided.v1')
        .map(({ data }) => data.disputed)
    const held = advance({ ...locked(assigned), verdict: verdict('expired') }, moment()).state

    assert.deepEqual(disputedIn(locked(assigned), { order }), [false])
    assert.deepEqual(disputedIn(locked(assigned), { verdict: verdict('expired') }), [true])
    assert.deepEqual(disputedIn(held, { order }), [true])
  })

  const unfunded: [string, Partial<Escrow>, Date, Status][] = [
    ['approved', { verdict: verdict('approved', { settleAfter: later(dayMs) }) }, start, 'unfunded'],
    ['rejected', { verdict: verdict('rejected') }, start, 'unfunded'],
    ['expired', { verdict: verdict('expired') }, start, 'unfunded'],
    ['cancelled', { cancelled: { reason: 'expired', at: start } }, start, 'unfunded'],
    ['frozen, at first', { verdict: verdict('rejected', { frozen: true }) }, start, 'none'],
    ['frozen, after 48 hours', { verdict: verdict('rejected', { frozen: true }) }, later(2 * dayMs), 'unfunded'],
    ['weak, at first', { verdict: verdict('rejected', { weak: true }) }, start, 'none'],
    ['weak, after 14 days', { verdict: verdict('rejected', { weak: true }) }, later(14 * dayMs), 'unfunded'],
  ]
  for (const [title, facts, now, status] of unfunded) {
    it(`without money, ${title}: ${status}`, () => {
      const { state, events } = advance({ ...assigned, ...facts }, moment(now))

      assert.equal(state.status, status)
      assert.equal(events.length, 1, 'one decision is published')
      assert.equal(events[0]!.type, 'escrow.escrow.decided.v1')
    })
  }

  it('leave to the timers what a time has decided: a late event alone refunds nothing', () => {
    const late = advance({ ...locked(assigned), verdict: verdict('rejected', { frozen: true }) }, moment(later(9 * dayMs), false)).state

    assert.equal(late.status, 'locked')
    assert.equal(advance({ ...late, appeal: appeal({ outcome: 'won' }) }, moment(later(9 * dayMs), false)).state.status, 'releasing')
    assert.equal(onTime(late, moment(later(9 * dayMs)))!.state.status, 'refunding')
  })

  it('a verdict during a lock is recorded and decided when the lock ends', () => {
    const met = advance({ ...funding(assigned), verdict: verdict('approved') }, moment()).state

    assert.equal(met.status, 'funding')
    assert.equal(lockConfirmed(met, confirmation, moment())!.state.status, 'releasing')
    assert.equal(lockFailed(met, expired, moment())!.state.status, 'unfunded')
  })

  it('the try after a terminal failure is the next round, and an old failure frees nothing', () => {
    const none = lockFailed(funding(assigned), expired, moment())!.state
    const again = funding(none)

    assert.equal(again.lock!.onChain.round, 2)
    assert.equal(lockFailed(again, expired, moment()), undefined)
  })

  it('a refund seen while a payout is under way is a lost payout, with the debt booked', () => {
    const releasing = advance({ ...locked(assigned), verdict: verdict('approved') }, moment()).state
    const lost = refundSeen(releasing, chainAt, start)!.state

    assert.deepEqual([lost.status, lost.settlement!.payoutLost], ['refunded', true])
    assert.deepEqual(
      postings(releasing, lost).map(({ key }) => key.split(':')[0]),
      ['settle', 'debt'],
    )
  })
})

/** Every fact that can become recorded about a gig, one value of each at most. */
const facts = fc.record(
  {
    assignment: fc.constant(assignment),
    delivery: fc.constant(delivery),
    verdict: fc.oneof(
      fc
        .record({ weak: fc.boolean(), wait: fc.boolean() })
        .map(({ weak, wait }) => verdict('approved', { weak, settleAfter: wait ? later(dayMs) : null })),
      fc.record({ weak: fc.boolean(), frozen: fc.boolean() }).map(flags => verdict('rejected', flags)),
      fc.constant(verdict('expired')),
    ),
    appeal: fc.record({ outcome: fc.constantFrom(null, 'won', 'lost', 'expired' as const), oracleAssisted: fc.boolean() }).map(more => appeal(more)),
    cancelled: fc.constantFrom('withdrawn', 'expired', 'deadline_missed').map(reason => ({ reason, at: start })),
    dispute: fc.constant({ agentId: 'a', reason: 'late', at: later(hourMs) }),
    order: fc
      .record({ release: fc.boolean(), by: fc.constantFrom('oracle', 'admin' as const) })
      .map(given => ({ ...given, wallet: wallets.custodial, reason: 'seen', at: later(hourMs) })),
    posterReleased: fc.constant(true),
    directLock: fc.constant({ poster: wallets.poster, payee: wallets.worker, amount: blank().amount, ...chainAt }),
  },
  { requiredKeys: [] },
)
type Facts = Partial<Escrow>
const names = ['assignment', 'delivery', 'verdict', 'appeal', 'cancelled', 'dispute', 'order', 'posterReleased', 'directLock'] as const

/** What its endpoint refuses is no fact: an order without held money, or one that pays where nobody is assigned. */
const isPossible = (name: keyof Escrow, fact: Facts[keyof Facts], { status, assignment: assignee }: Escrow): boolean =>
  name !== 'order' || ((status === 'locked' || status === 'disputed') && (!(fact as Escrow['order'])!.release || assignee !== null))

/** Gives the command that is under way its outcome. */
function answer(e: Escrow, isGood: boolean, now: Date): Escrow {
  const { round, seq } = (e.settlement ?? e.lock)?.onChain ?? { round: 1, seq: 0 }
  const failure = { round, seq: seq + 1, code: 'REVERTED', message: '' }
  if (e.status === 'funding') return (isGood ? lockConfirmed(e, { ...failure, ...chainAt }, moment(now)) : lockFailed(e, failure, moment(now)))!.state
  if (e.settlement?.retryAt) return e
  if (e.status === 'releasing') return (isGood ? releaseConfirmed(e, { ...chainAt, ...scores }, now) : settleFailed(e, failure, now))!.state
  if (e.status === 'refunding') return (isGood ? refundSeen(e, chainAt, now) : settleFailed(e, failure, now))!.state
  return e
}

describe('escrow rules, for any sequence of facts', () => {
  const steps = fc.array(
    fc.oneof(
      fc.constant('lock' as const),
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }).map(days => ({ days })),
    ),
    { maxLength: 30 },
  )

  it('book as the money moves: the account holds the budget exactly while it is locked', () => {
    fc.assert(
      fc.property(facts, fc.shuffledSubarray([...names], { minLength: names.length }), steps, (given, order, list) => {
        let escrow = blank()
        let held = 0n
        let now = start
        const keys = new Set<string>()
        const become = (after: Escrow) => {
          for (const { key, lines, tvl = 0n } of postings(escrow, after)) {
            assert.ok(!keys.has(key), `${key} twice`)
            keys.add(key)
            assert.equal(
              lines.reduce((sum, { debit, credit }) => sum + debit - credit, 0n),
              0n,
            )
            held += tvl
          }
          const isHeld = after.status === 'funding' || holdsMoney(after.status)
          assert.equal(held, isHeld ? after.amount : 0n, after.status)
          assert.ok(after.status === escrow.status || !escrowStates.isFinal(escrow.status), 'a final state was left')
          escrow = after
        }
        const todo: (() => void)[] = list.map(step => () => {
          if (step === 'lock') {
            if (escrow.status === 'none') become(funding(escrow))
          } else if (typeof step === 'boolean') become(answer(escrow, step, now))
          else {
            now = later(step.days * dayMs, now)
            become(onTime(escrow, moment(now))?.state ?? escrow)
          }
        })
        order.forEach((name, index) => {
          const fact = (given as Facts)[name]
          const recordFact = () => (isPossible(name, fact, escrow) ? become(advance({ ...escrow, [name]: fact }, moment(now)).state) : undefined)
          if (fact !== undefined) todo.splice(index * 4, 0, recordFact)
        })
        for (const act of todo) act()
      }),
      { numRuns: 500 },
    )
  })

  it('end in the same state for any order of the same facts', () => {
    fc.assert(
      fc.property(
        facts,
        fc.shuffledSubarray(['assignment', 'delivery', 'verdict', 'appeal', 'dispute', 'posterReleased', 'directLock'] as const, { minLength: 7 }),
        (given, order) => {
          // what cannot be together: an appeal needs a frozen rejection, a party disputes before any verdict settles; what comes first of a
          // cancellation or an order and a verdict decides
          const { cancelled, order: _, ...possible } = given as Facts
          if (possible.verdict?.result !== 'rejected' || !(possible.verdict.frozen || possible.verdict.weak)) delete possible.appeal
          if (possible.verdict) delete possible.dispute
          const run = (names: readonly (keyof typeof possible)[]) => {
            let escrow = locked(blank())
            for (const name of names)
              if (possible[name] !== undefined) escrow = advance({ ...escrow, [name]: possible[name] }, moment(later(2 * hourMs))).state
            for (let days = 1; days <= 200; days++) {
              const now = later(days * dayMs)
              escrow = answer(onTime(escrow, moment(now))?.state ?? escrow, true, now)
            }
            return [escrow.status, escrow.settlement!.fee, escrow.settlement!.external]
          }
          assert.deepEqual(run(order as never), run([...order].sort() as never))
        },
      ),
    )
  })

  it('are left by time alone, also when commands fail again and again', () => {
    fc.assert(
      fc.property(facts, fc.array(fc.boolean(), { maxLength: 8 }), (given, luck) => {
        const { order, ...others } = given as Facts
        const recorded = { ...locked(blank()), ...others }
        let escrow = advance({ ...recorded, ...(order && isPossible('order', order, recorded) ? { order } : {}) }, moment()).state
        for (let days = 1; days <= 230 && !escrowStates.isFinal(escrow.status); days++) {
          const now = later(days * dayMs)
          escrow = answer(onTime(escrow, moment(now))?.state ?? escrow, luck[days % 9] ?? true, now)
        }
        assert.ok(escrowStates.isFinal(escrow.status), `${escrow.status} due ${escrow.dueAt?.toISOString()}`)
      }),
    )
  })

  it('know a way out of every state that holds money', () => {
    for (const [status, edges] of Object.entries(escrowStates.transitions))
      if (holdsMoney(status as Status)) assert.ok(Object.keys(edges).length > 0, status)
  })
})
