import assert from 'node:assert/strict'
import type { Escrow, Gig, Job, Validation } from '@carapace/api'
import type { Html } from '../html.ts'
import { panel } from '../parts/panel.ts'
import { timeline } from '../parts/timeline.ts'
import { gigMoney } from './gig/gig-money.ts'
import { gigSteps } from './gig/gig-steps.ts'
import { jobSteps } from './job/job-steps.ts'

const now = new Date('2026-11-27T10:00:00.000Z')
const later = '2026-11-28T10:00:00.000Z'
const gig = {
  status: 'pending_validation',
  budget: 40,
  chain: 'BASE_SEPOLIA',
  poster: { handle: 'poster-one' },
  applicantCount: 1,
  createdAt: now.toISOString(),
  assignedAt: now.toISOString(),
  submittedAt: now.toISOString(),
} as Gig
const escrow = {
  status: 'locked',
  amount: 40,
  feeBp: 300,
  fee: null,
  net: null,
  nextDeadline: null,
  txHash: '0x1',
  fundedFrom: null,
  disputeReason: null,
} as Escrow
const validation = {
  ...{
    id: 'v',
    status: 'approved',
    chain: 'BASE_SEPOLIA',
    voteCount: 2,
    candidateCount: 3,
    threshold: 2,
    approvalCount: 2,
    rejectionCount: 0,
    round: 1,
  },
  ...{
    weak: false,
    disputeReason: null,
    nextDeadline: null,
    appealId: null,
    expiresAt: later,
    resolvedAt: now.toISOString(),
    onChain: { txHash: null },
  },
  validators: [{ id: 'a', handle: 'validator-one', voted: false, replaced: false }],
} as unknown as Validation
const job = {
  ...{ status: 'submitted', chain: 'BASE_SEPOLIA', createdAt: now.toISOString(), submitDeadline: later, deliverableUrl: null, disputeReason: null },
  ...{ txHashCreated: '0x1', txHashFunded: '0x2', txHashAssigned: '0x3', txHashSubmitted: '0x4', txHashSettled: null, poster: null, assignee: null },
} as unknown as Job
const textOf = (page: Html) =>
  page
    .toString()
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
const window = { at: later }

describe('a record that is decided', () => {
  it('says where the parts of the budget are, also to those who do not see the bar', () => {
    const labelOf = (change: Partial<Escrow>) => /aria-label="([^"]*)"/.exec(gigMoney(gig, { ...escrow, ...change }, undefined).toString())?.[1]

    assert.equal(labelOf({}), '40.00 USDC in the escrow contract')
    assert.equal(labelOf({ status: 'released', net: 38.8, fee: 1.2 }), '38.80 USDC to the assignee, 1.20 USDC platform fee, 3 %')
    assert.equal(labelOf({ status: 'refunded' }), '40.00 USDC back with the poster')
    assert.equal(labelOf({ status: 'unfunded' }), 'Nothing of 40.00 USDC is in the contract')
  })

  it('waits for no votes once the panel has judged', () => {
    assert.match(textOf(panel({ ...validation, status: 'pending' }, undefined, now)), /1 vote to come · ends in 1 day/)
    const decided = textOf(panel(validation, undefined, now))
    assert.match(decided, /0 rejections, 2 votes of 3 validators · decided just now/)
    assert.doesNotMatch(decided, /to come|To vote/)
  })

  it('says in words what time alone does to a panel, and nothing of how the chain is polled', () => {
    const nextOf = (action: string) => textOf(panel({ ...validation, status: 'expired', nextDeadline: { ...window, action } }, undefined, now))

    assert.match(nextOf('redraw'), /Next A new panel is drawn in 1 day/)
    assert.doesNotMatch(nextOf('poll'), /Next|poll/)
  })

  const ofGig = (escrowChange: Partial<Escrow>, change: Partial<Validation> = {}) =>
    textOf(timeline(gigSteps(gig, { ...escrow, ...escrowChange }, { ...validation, ...change }, undefined), now))
  const cases: readonly (readonly [what: string, shown: string, expected: RegExp])[] = [
    [
      'a dispute',
      ofGig({ status: 'disputed', disputeReason: 'Late', nextDeadline: { ...window, action: 'refund' } }),
      /Disputed Late Without a decision until the end, then the poster gets the money back ends in 1 day/,
    ],
    [
      'an appeal',
      ofGig({ nextDeadline: { ...window, action: 'refund' } }, { status: 'rejected' }),
      /Open to an appeal Without one, then the poster gets the money back ends in 1 day/,
    ],
    [
      'an appeal that is judged',
      ofGig({ nextDeadline: { ...window, action: 'appeal' } }, { status: 'rejected' }),
      /Appealed A fresh panel judges the delivery ends in 1 day/,
    ],
    [
      'a payment that is held',
      ofGig({ nextDeadline: { ...window, action: 'release' } }),
      /Open to a dispute Without one, then the assignee is paid ends in 1 day/,
    ],
  ]
  for (const [what, shown, expected] of cases)
    it(`counts the time for ${what} down, and says what its end causes`, () => {
      assert.match(shown, expected)
    })

  it('counts the time for disputes of a job down, from the verdict on', () => {
    const of = (change: Partial<Job>, verdict: Validation['status'] = 'approved') =>
      textOf(timeline(jobSteps({ ...job, ...change }, { ...validation, status: verdict }, undefined), now))

    assert.match(of({ nextDeadline: { ...window, action: 'verdict' } }), /Open to a dispute Without one, the provider is paid ends in 1 day/)
    assert.match(
      of({ nextDeadline: { ...window, action: 'verdict' } }, 'rejected'),
      /Open to a dispute Without one, the client gets the money back ends in 1 day/,
    )
    assert.match(
      of({ nextDeadline: { ...window, action: 'stall' } }, 'pending'),
      /Waits for a verdict Without one it becomes a dispute ends in 1 day/,
    )
    assert.match(
      of({ status: 'disputed', nextDeadline: { ...window, action: 'default' } }),
      /Disputed Without a decision until the end, the provider is paid ends in 1 day/,
    )
    assert.doesNotMatch(of({ nextDeadline: { ...window, action: 'poll' } }), /Open to|Waits for a verdict/)
  })
})
