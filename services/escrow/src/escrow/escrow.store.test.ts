import assert from 'node:assert/strict'
import { assignment, blank, chainAt, delivery, start, verdict, wallets } from '../testing/facts.ts'
import { advance } from './advance.ts'
import { upgradeEscrow } from './escrow.store.ts'
import type { Escrow } from './escrow.ts'
import type { Status } from './escrow-states.ts'
import { lockConfirmed, lockFailed, lockReorged, reserveLock, sendLock } from './lock/transitions.ts'
import { payeeFailed, releaseConfirmed, settleFailed, settleReorged } from './settlement/transitions.ts'

const reservation = { operationId: 'o1', kind: 'allowance', from: wallets.poster, poster: wallets.poster } as const
const moment = { now: start, timers: true, splitTo: null }
const scores = { posterScore: 15, assigneeScore: 15 }

/** As escrows were stored before a lock and a settlement had `onChain`. */
function inOldForm(stage: 'sent' | 'confirmed', more: object = {}): Escrow {
  const { state } = reserveLock(blank(), reservation)
  const { onChain: _, payeeOnChain: __, ...lock } = state.lock!
  const at = { txHash: chainAt.txHash, blockNumber: chainAt.blockNumber, lockedAt: start }
  const old = {
    ...lock,
    stage,
    round: 2,
    seq: 5,
    payeeRound: 0,
    payeeFailed: false,
    ...(stage === 'confirmed' ? at : { txHash: null, blockNumber: null }),
  }
  return { ...state, status: stage === 'sent' ? 'funding' : 'locked', lockRounds: 2, lock: { ...old, ...more } } as unknown as Escrow
}

function settledInOldForm(status: Status, more: object): Escrow {
  const funded = sendLock(reserveLock({ ...blank(), assignment, delivery }, reservation).state, { kind: 'allowance' }).state
  const locked = lockConfirmed(funded, { ...chainAt, round: 1, seq: 1 }, moment)!.state
  const { onChain: _, ...settlement } = advance({ ...locked, verdict: verdict('approved') }, moment).state.settlement!
  const old = { ...settlement, round: 2, seq: 5, error: null, txHash: null, blockNumber: null, ...more }
  return { ...locked, status, settlement: old } as unknown as Escrow
}

describe('an escrow that was stored before its lock had one field on chain', () => {
  it('follows the outcomes of its round that are newer than those that it knew', () => {
    const sent = upgradeEscrow(inOldForm('sent'))

    assert.equal(lockConfirmed(sent, { ...chainAt, round: 2, seq: 4 }, moment), undefined)
    assert.equal(lockConfirmed(sent, { ...chainAt, round: 1, seq: 6 }, moment), undefined)
    assert.equal(lockConfirmed(sent, { ...chainAt, round: 2, seq: 6 }, moment)!.state.status, 'locked')
  })

  it('shows where its lock is, and is pending again when that block is dropped', () => {
    const locked = upgradeEscrow(inOldForm('confirmed'))

    assert.deepEqual(locked.lock!.onChain, { status: 'confirmed', ...chainAt, error: null, round: 2, seq: 5 })
    assert.equal(lockReorged(locked, { round: 2, seq: 5 }), undefined)
    assert.deepEqual(lockReorged(locked, { round: 2, seq: 6 })!.state.lock!.onChain, { ...locked.lock!.onChain, status: 'pending', seq: 6 })
  })

  it('knows the last outcome of the command that named its payee', () => {
    const named = upgradeEscrow(inOldForm('confirmed', { payeeRound: 3, payeeSeq: 7, payeeFailed: true }))
    const failure = { code: 'REVERTED', message: 'x', round: 3 }

    assert.equal(named.lock!.payeeOnChain!.status, 'failed')
    assert.equal(payeeFailed(named, { ...failure, seq: 7 }, start), undefined)
    assert.equal(payeeFailed(named, { ...failure, seq: 8 }, start)!.state.lock!.payeeOnChain!.seq, 8)
    assert.equal(upgradeEscrow(inOldForm('confirmed')).lock!.payeeOnChain, null)
  })

  it('has a lock that failed, which the chain may still make', () => {
    const { lock, ...rest } = inOldForm('sent')
    const failure = { operationId: 'o1', round: 2, code: 'EXPIRED', message: '' }
    const failed = upgradeEscrow({ ...rest, status: 'none', lock: null, lockFailure: { ...failure, lock: lock! } })

    assert.deepEqual(failed.lockFailure!.lock!.onChain.status, 'failed')
    assert.equal(lockFailed(failed, { ...failure, seq: 5 }, moment), undefined)
    assert.equal(lockConfirmed(failed, { ...chainAt, round: 2, seq: 5 }, moment), undefined)
    assert.equal(lockConfirmed(failed, { ...chainAt, round: 2, seq: 6 }, moment)!.state.status, 'locked')
  })

  it('is left alone in the present form', () => {
    const escrow = upgradeEscrow(inOldForm('sent'))
    const none = blank()

    assert.equal(upgradeEscrow(escrow), escrow)
    assert.equal(upgradeEscrow(none), none)
  })
})

describe('an escrow that was stored before its settlement had one field on chain', () => {
  it('follows the outcomes that are newer than those that it knew', () => {
    const releasing = upgradeEscrow(settledInOldForm('releasing', {}))

    assert.deepEqual(releasing.settlement!.onChain, { status: 'pending', txHash: null, blockNumber: null, error: null, round: 2, seq: 5 })
    assert.equal(releaseConfirmed(releasing, { ...chainAt, ...scores, round: 2, seq: 4 }, start), undefined)
    assert.equal(releaseConfirmed(releasing, { ...chainAt, ...scores, round: 2, seq: 6 }, start)!.state.status, 'released')
  })

  it('has the failure of its last round', () => {
    const failed = upgradeEscrow(settledInOldForm('releasing', { error: 'REVERTED: why', retryAt: start }))

    assert.deepEqual([failed.settlement!.onChain.status, failed.settlement!.onChain.error], ['failed', 'REVERTED: why'])
    assert.equal(settleFailed(failed, { round: 2, seq: 5, code: 'REVERTED', message: '' }, start), undefined)
  })

  it('shows where it was made, also while that block is dropped', () => {
    const released = upgradeEscrow(settledInOldForm('released', { ...chainAt, settledAt: start }))
    const { onChain } = released.settlement!

    assert.deepEqual(onChain, { status: 'confirmed', ...chainAt, error: null, round: 2, seq: 5 })
    assert.deepEqual(settleReorged(released, { round: 2, seq: 6 })!.state.settlement!.onChain, { ...onChain, status: 'pending', seq: 6 })
    assert.equal(settleReorged(released, { round: 2, seq: 5 }), undefined)
  })
})
