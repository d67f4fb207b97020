import assert from 'node:assert/strict'
import { sentOnChain } from '@carapace/chain'
import fc from 'fast-check'
import { applyStep, type Claim, heldChanges, type Outcome, type Step, stepFor, upgradeClaim, withRequest } from './claim.ts'
import { type ClaimState, claimStates } from './claim-states.ts'

const claiming: Claim = {
  id: 'c1',
  validatorId: 'a1',
  wallet: '0xA',
  chain: 'BASE_SEPOLIA',
  amount: 7n,
  rewards: [{ validationId: 'v1', amount: 7n }],
  requested: [{ validationId: 'v1', amount: 7n }],
  status: 'claiming',
  onChain: { ...sentOnChain, round: 2, seq: 5 },
}
const chainStates = { claiming: 'pending', claimed: 'confirmed', failed: 'failed' } as const
const inState = (status: ClaimState): Claim => ({ ...claiming, status, onChain: { ...claiming.onChain, status: chainStates[status] } })
const confirmed = (more: Partial<Outcome> = {}) => ({ is: 'confirmed', round: 2, seq: 6, txHash: '0x1', blockNumber: 9, ...more }) as Outcome
const failed = (more: Partial<Outcome> = {}) => ({ is: 'failed', round: 2, seq: 6, code: 'REVERTED', message: 'x', ...more }) as Outcome

describe('a claim of rewards', () => {
  const table: [string, ClaimState, Outcome, Step | undefined][] = [
    ['is paid by a confirmation', 'claiming', confirmed(), 'pay'],
    ['goes back by a terminal failure', 'claiming', failed(), 'fail'],
    ['stays paid in another block', 'claimed', confirmed(), 'reinclude'],
    ['that was paid goes back when it fails after a reorganisation', 'claimed', failed(), 'reverse'],
    ['follows a repeated confirmation once', 'claimed', confirmed({ seq: 5 }), undefined],
    ['follows no failure that is older than what was followed', 'claimed', failed({ seq: 4 }), undefined],
    ['follows a repeated failure once', 'failed', failed({ seq: 5 }), undefined],
    ['notes a newer failure', 'failed', failed(), 'repeatFailure'],
    ['that failed is paid when the chain makes its payment after all', 'failed', confirmed(), 'payLate'],
    ['that failed is paid by the late payment of an earlier round', 'failed', confirmed({ round: 1 }), 'payLate'],
    ['that failed is not paid by an older confirmation', 'failed', confirmed({ seq: 4 }), undefined],
    ['is paid by the payment of an earlier round', 'claiming', confirmed({ round: 1 }), 'pay'],
    ['waits for the logs of a payment that an earlier round may have made', 'claiming', confirmed({ already: true }), undefined],
    ['is paid by it once they are known', 'claiming', confirmed({ already: true, paid: 5n }), 'pay'],
    ['is corrected when another round pays another amount in its place', 'claimed', confirmed({ paid: 9n }), 'correct'],
    ['stays paid in another block with the same amount', 'claimed', confirmed({ paid: 7n, round: 1 }), 'reinclude'],
    ['that failed waits for the logs of a late payment of an unknown round', 'failed', confirmed({ already: true }), 'awaitLogs'],
    ['that is paid waits for the logs of the payment that replaces it', 'claimed', confirmed({ already: true }), 'awaitLogs'],
    ['follows no failure of an earlier round', 'claiming', failed({ round: 1 }), undefined],
    ['follows nothing of a later round that nobody requested', 'failed', confirmed({ round: 3 }), undefined],
  ]
  for (const [title, status, outcome, step] of table) it(title, () => assert.equal(stepFor(inState(status), outcome), step))

  it('is paid as requested in its first round, whether or not the logs are known', () => {
    const first: Claim = { ...claiming, onChain: { ...claiming.onChain, round: 1 } }

    assert.equal(stepFor(first, confirmed({ round: 1, already: true })), 'pay')
  })

  it('that was stored before its part on chain was one field is read with the numbers that it had', () => {
    const { onChain: _, requested: __, ...rest } = claiming
    const old = { ...rest, status: 'claimed', round: 2, seq: 5, txHash: '0x1' } as unknown as Claim

    const claim = upgradeClaim(old)

    assert.deepEqual(claim, {
      ...rest,
      status: 'claimed',
      requested: rest.rewards,
      onChain: { ...sentOnChain, status: 'confirmed', txHash: '0x1', round: 2, seq: 5 },
    })
    assert.equal(upgradeClaim(claim), claim)
    assert.deepEqual([stepFor(claim, confirmed({ seq: 5 })), stepFor(claim, failed())], [undefined, 'reverse'])
  })

  it('waits for the logs of one payment once, and is paid by the same outcome with them', () => {
    const unlogged = confirmed({ already: true })
    const waiting = applyStep(inState('failed'), 'awaitLogs', unlogged)

    assert.equal(stepFor(waiting, unlogged), undefined)
    assert.equal(stepFor(waiting, confirmed({ already: true, paid: 5n })), 'payLate')
    const paid = applyStep(waiting, 'payLate', confirmed({ already: true, paid: 5n }))
    assert.deepEqual([paid.status, paid.amount, paid.rewards, paid.unloggedSeq], ['claimed', 5n, [{ validationId: 'v1', amount: 5n }], undefined])
    const older = applyStep(waiting, 'repeatFailure', failed({ seq: 5 }))
    assert.equal(older.unloggedSeq, 6)
  })

  it('is booked on all that its rounds requested, the newest first', () => {
    const requested = withRequest(
      [
        { validationId: 'v1', amount: 7n },
        { validationId: 'v2', amount: 3n },
      ],
      [{ validationId: 'v2', amount: 2n }],
    )
    const later: Claim = { ...claiming, amount: 2n, rewards: [{ validationId: 'v2', amount: 2n }], requested }

    const paid = applyStep(later, 'pay', confirmed({ paid: 9n }))

    assert.deepEqual(paid.rewards, [
      { validationId: 'v2', amount: 3n },
      { validationId: 'v1', amount: 6n },
    ])
    assert.deepEqual(Object.fromEntries(heldChanges(later, paid)), { v1: { claiming: 0n, claimed: 6n }, v2: { claiming: -2n, claimed: 3n } })
  })

  it('is paid once at most and ends as the newest outcome says, in any order and however often outcomes come', () => {
    const numbers = fc.array(fc.integer({ min: 6, max: 12 }), { minLength: 1 })
    const relayer = fc.array(fc.boolean(), { minLength: 13, maxLength: 13 })
    fc.assert(
      fc.property(numbers, relayer, (received, failures) => {
        const last = Math.max(...received)
        const isFailed = failures[last]!
        let claim = claiming
        let out = 0n
        for (const seq of received) {
          const outcome = failures[seq] ? failed({ seq }) : confirmed({ seq })
          const step = stepFor(claim, outcome)
          if (!step) continue
          assert.ok(claimStates.next(claim.status, step))
          out += step === 'pay' || step === 'payLate' ? claim.amount : step === 'reverse' ? -claim.amount : 0n
          claim = applyStep(claim, step, outcome)
        }
        assert.deepEqual([claim.status, out], isFailed ? ['failed', 0n] : ['claimed', 7n])
      }),
    )
  })
})
