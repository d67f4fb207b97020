import assert from 'node:assert/strict'
import { dayMs, hourMs } from '@carapace/api'
import { appeal, assignment, blank, delivery, later, start, verdict, wallets } from '../testing/facts.ts'
import type { By, Escrow, Reason, Verdict } from './escrow.ts'
import { effectiveVerdict, isSlashed, type Judgement, judge } from './judgement.ts'

const order = (release: boolean, by: 'oracle' | 'admin') => ({ release, by, wallet: wallets.custodial, reason: 'seen', at: start })
const dispute = { agentId: assignment.assigneeId, reason: 'late', at: later(hourMs) }
const assigned: Escrow = { ...blank(), assignment, delivery }

/** The facts that decide, the strongest first, with what each demands while no time has passed. */
const ranked: [title: string, facts: Partial<Escrow>, expected: [Judgement['kind'], string, By | null]][] = [
  ['a withdrawn gig', { cancelled: { reason: 'withdrawn', at: start } }, ['settle', 'refund', 'party']],
  ['a missed deadline', { cancelled: { reason: 'deadline_missed', at: start } }, ['settle', 'refund', 'time']],
  ['an admin’s release', { order: order(true, 'admin') }, ['settle', 'release', 'admin']],
  ['the oracle’s release', { order: order(true, 'oracle') }, ['settle', 'release', 'oracle']],
  ['an admin’s refund', { order: order(false, 'admin') }, ['settle', 'refund', 'admin']],
  ['an appeal that is won', { appeal: appeal({ outcome: 'won' }) }, ['settle', 'release', 'swarm']],
  ['an appeal that is lost', { appeal: appeal({ outcome: 'lost' }) }, ['settle', 'refund', 'swarm']],
  ['an appeal that has expired', { appeal: appeal({ outcome: 'expired' }) }, ['settle', 'refund', 'swarm']],
  ['a dispute', { dispute }, ['hold', 'disputed', 'party']],
  ['no consensus', { verdict: verdict('expired') }, ['hold', 'disputed', 'swarm']],
  ['a weak rejection', { verdict: verdict('rejected', { weak: true, frozen: true }) }, ['hold', 'disputed', 'swarm']],
  ['an appeal without a panel', { appeal: appeal({ oracleAssisted: true }) }, ['hold', 'disputed', 'party']],
  ['an approval', { verdict: verdict('approved') }, ['settle', 'release', 'swarm']],
  ['an approval that waits', { verdict: verdict('approved', { settleAfter: later(dayMs) }) }, ['wait', 'release', null]],
  ['a plain rejection', { verdict: verdict('rejected') }, ['settle', 'refund', 'swarm']],
  ['a frozen rejection', { verdict: verdict('rejected', { frozen: true }) }, ['hold', 'locked', 'swarm']],
  ['an appeal whose panel judges', { appeal: appeal() }, ['wait', '', null]],
  ['a release by the poster, to whom no verdict has come', { posterReleased: true }, ['wait', '', null]],
]

const shown = (judgement: Judgement): [Judgement['kind'], string, By | null] => {
  if (judgement.kind === 'wait') return ['wait', judgement.action ?? '', null]
  return [judgement.kind, judgement.kind === 'settle' ? judgement.outcome : judgement.disputed ? 'disputed' : 'locked', judgement.by]
}

describe('the judgement of an escrow', () => {
  for (const [index, [stronger, facts, expected]] of ranked.entries()) {
    it(`follows ${stronger}, next to anything that is weaker`, () => {
      assert.deepEqual(shown(judge({ ...assigned, ...facts }, later(2 * hourMs))), expected)
      for (const [weaker, others] of ranked.slice(index + 1)) {
        // the poster ends the wait of an approval: those two are one fact
        const isOne = 'posterReleased' in others && expected[0] === 'wait'
        if (isOne || Object.keys(others).some(name => name in facts)) continue
        assert.deepEqual(shown(judge({ ...assigned, ...others, ...facts }, later(2 * hourMs))), expected, `next to ${weaker}`)
      }
    })
  }

  it('ends the wait of an approval by its poster', () => {
    const facts = { verdict: verdict('approved', { settleAfter: later(dayMs) }), posterReleased: true }

    assert.deepEqual(shown(judge({ ...assigned, ...facts }, start)), ['settle', 'release', 'swarm'])
  })

  const missed = { delivery: null, assignment: { ...assignment, deadlineAt: later(2 * dayMs) } }
  const byTime: [string, Partial<Escrow>, string | null][] = [
    ['the panel had rejected plainly', { verdict: verdict('rejected') }, 'rejected'],
    ['the panel’s rejection was frozen and not appealed', { verdict: verdict('rejected', { frozen: true }) }, 'rejected'],
    ['an appeal found no panel', { verdict: verdict('rejected', { frozen: true }), appeal: appeal({ oracleAssisted: true }) }, null],
    ['the rejection was weak', { verdict: verdict('rejected', { weak: true, frozen: true }) }, null],
    ['the panel had no consensus', { verdict: verdict('expired') }, null],
    ['no panel has spoken', {}, null],
    ['nothing was delivered in time', missed, 'deadline_missed'],
    ['there is still time to deliver', { ...missed, assignment: { ...assignment, deadlineAt: later(90 * dayMs) } }, null],
  ]
  for (const [title, facts, failure] of byTime) {
    it(`of a dispute that ends by time where ${title}: ${failure ?? 'no failure'}`, () => {
      const judgement = judge({ ...assigned, dispute, ...facts }, later(20 * dayMs))

      assert.deepEqual(judgement, { kind: 'settle', outcome: 'refund', reason: 'default', by: 'time', failure })
    })
  }

  it('lets no dispute end by time while a frozen rejection may be appealed', () => {
    const late = verdict('rejected', { frozen: true, at: later(13 * dayMs), appealUntil: later(15 * dayMs) })
    const at = (ms: number) => judge({ ...assigned, dispute, verdict: late }, later(ms))

    const waiting = at(14.5 * dayMs)

    assert.deepEqual([waiting.kind, waiting.kind === 'hold' && waiting.until], ['hold', late.appealUntil])
    assert.deepEqual(shown(at(15 * dayMs)), ['settle', 'refund', 'time'])
  })

  it('replaces the verdict by the outcome of the appeal against it', () => {
    const rejected = { ...blank(), verdict: verdict('rejected', { frozen: true, approvalPct: 20 }) }
    const appealed = (outcome: 'won' | 'lost' | 'expired' | null) => effectiveVerdict({ ...rejected, appeal: appeal({ outcome }) })

    assert.equal(effectiveVerdict(blank()).verdict, null)
    assert.deepEqual([appealed(null).verdict, appealed(null).validationId], ['rejected', rejected.verdict.validationId])
    assert.deepEqual([appealed('won').verdict, appealed('won').approvalPct, appealed('won').votes], ['approved', 60, 5])
    assert.deepEqual([appealed('lost').verdict, appealed('expired').validationId], ['rejected', appeal().appealId])
  })
})

describe('the lock of a gig that has ended', () => {
  const lost = appeal({ outcome: 'lost', applySlash: true })
  const rows: [title: string, outcome: 'release' | 'refund' | 'unfunded', Reason, Verdict | null, Escrow['appeal'], boolean][] = [
    ['a plain rejection', 'refund', 'verdict', verdict('rejected'), null, true],
    ['a frozen one, which waited 48 hours', 'refund', 'frozen', verdict('rejected', { frozen: true }), null, false],
    ['an appeal lost in earnest', 'refund', 'verdict', verdict('rejected', { frozen: true }), lost, true],
    ['an appeal lost to suspicious votes', 'refund', 'verdict', verdict('rejected', { frozen: true }), { ...lost, applySlash: false }, false],
    ['an appeal that has expired', 'refund', 'verdict', verdict('rejected', { frozen: true }), appeal({ outcome: 'expired' }), false],
    ['a plain rejection in a dispute that time has ended', 'refund', 'default', verdict('rejected'), null, true],
    ['a frozen one in such a dispute', 'refund', 'default', verdict('rejected', { frozen: true }), null, false],
    ['a weak one in such a dispute', 'refund', 'default', verdict('rejected', { weak: true }), null, false],
    ['an appeal without a panel', 'refund', 'default', verdict('rejected', { frozen: true }), appeal({ oracleAssisted: true }), false],
    ['no consensus', 'refund', 'default', verdict('expired'), null, false],
    ['the order of an admin, whatever the panel said', 'refund', 'dispute', verdict('rejected'), null, false],
    ['the order of an admin against an approval', 'refund', 'verdict', verdict('approved'), null, false],
    ['a missed deadline', 'refund', 'cancelled', null, null, false],
    ['a release', 'release', 'verdict', verdict('approved'), null, false],
    ['a rejection of a gig without escrow', 'unfunded', 'verdict', verdict('rejected'), null, false],
  ]
  for (const [title, outcome, reason, panel, appealed, expected] of rows) {
    it(`is ${expected ? 'slashed' : 'released whole'} after ${title}`, () => {
      const decision = { outcome, reason, by: 'swarm', at: start } as const

      assert.equal(isSlashed({ ...blank(), assignment, decision, verdict: panel, appeal: appealed }), expected)
    })
  }

  it('is not slashed before the decision', () => {
    assert.equal(isSlashed({ ...blank(), verdict: verdict('rejected') }), false)
  })
})
