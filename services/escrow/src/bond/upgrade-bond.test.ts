import assert from 'node:assert/strict'
import { start } from '../testing/facts.ts'
import { type Bond, type BondLock, type Move, noBond } from './bond.ts'
import { applyBondOutcome, type BondOutcome } from './outcomes/apply-bond-outcome.ts'
import { endLock, onTime } from './requests/end-lock.ts'
import { requestDeposit } from './requests/request-deposit.ts'
import { requestLock } from './requests/request-lock.ts'
import { upgradeBond } from './upgrade-bond.ts'

const wallet = `0x${'22'.repeat(20)}`
const chainAt = { txHash: `0x${'ab'.repeat(32)}`, blockNumber: 9 }
const names = ['agent', 'gig', 'deposit', 'lock', 'unlock', 'next']
const key = (name: string): string => `0190a5d0-0000-7000-8000-${String(names.indexOf(name)).padStart(12, '0')}`
const blank = noBond({ id: key('agent'), wallet, chain: 'BASE_SEPOLIA' })
const deposit = { id: key('deposit'), operationId: 'o', amount: 100n, from: wallet, source: { kind: 'allowance' }, now: start } as const

const confirmed = (id: string, seq: number, round = 1): BondOutcome => ({ is: 'confirmed', id: key(id), round, seq, logs: [], ...chainAt })
const failed = (id: string, seq: number, round = 1): BondOutcome => ({ is: 'failed', id: key(id), round, seq, code: 'REVERTED', message: 'x' })
function follow(bond: Bond, outcome: BondOutcome): Bond | undefined {
  const made = applyBondOutcome(bond, outcome, start, () => key('next'))
  return made === 'later' ? assert.fail('it has to wait') : made?.state
}

const oldLock = ({ onChain, unlockOnChain, ...lock }: BondLock) => ({
  ...lock,
  lockSeq: onChain.seq,
  unlockSeq: unlockOnChain?.seq ?? 0,
  unlockRound: unlockOnChain?.round ?? 0,
  txHash: onChain.txHash,
  blockNumber: onChain.blockNumber,
})
const oldMove = ({ onChain: _, ...move }: Move) => move

/** As bonds were stored before `onChain` was one field. */
function inOldForm(bond: Bond): Bond {
  const done = bond.done.map(one => {
    if ('move' in one) return { ...one, seq: one.move.onChain.seq, move: oldMove(one.move) }
    if ('failedMove' in one) return { ...one, seq: one.failedMove.onChain.seq, failedMove: oldMove(one.failedMove) }
    if ('unlocked' in one) return { ...one, seq: one.unlocked.unlockOnChain?.seq ?? 0, unlocked: oldLock(one.unlocked) }
    return { ...one, seq: one.failedLock.onChain.seq, failedLock: oldLock(one.failedLock) }
  })
  return { ...bond, locks: bond.locks.map(oldLock), moves: bond.moves.map(oldMove), done } as unknown as Bond
}

/** Each in the old form, upgraded before the next outcome. */
const followed = (bond: Bond, ...outcomes: BondOutcome[]): Bond =>
  outcomes.reduce((state, outcome) => upgradeBond(inOldForm(follow(state, outcome)!)), upgradeBond(inOldForm(bond)))

const staked = () => followed(requestDeposit(blank, deposit).state, confirmed('deposit', 2))
const locking = () => requestLock(staked(), { lockId: key('lock'), gigId: key('gig'), amount: 50n, now: start }).state
const locked = () => followed(locking(), confirmed('lock', 2))
const unlocking = () => upgradeBond(inOldForm(endLock(locked(), key('gig'), key('unlock'))!.state))

describe('a bond that was stored before its commands had one field on chain', () => {
  it('follows the outcome of a command that was under way', () => {
    const before = upgradeBond(inOldForm(requestDeposit(blank, deposit).state))

    assert.equal(before.moves[0]!.onChain.status, 'pending')
    assert.equal(follow(before, confirmed('deposit', 2))!.free, 100n)
  })

  it('reverses a command that was done by a newer failure only', () => {
    const [done] = staked().done

    assert.deepEqual([done && 'move' in done && done.move.onChain.seq, done && 'seq' in done], [2, false])
    assert.equal(follow(staked(), failed('deposit', 2)), undefined)
    assert.equal(follow(staked(), failed('deposit', 3))!.free, 0n)
  })

  it('makes a command late that had failed', () => {
    const lost = followed(requestDeposit(blank, deposit).state, failed('deposit', 2))

    assert.equal(follow(lost, confirmed('deposit', 1)), undefined)
    assert.equal(follow(lost, confirmed('deposit', 3))!.free, 100n)
  })

  it('knows where a lock is, and its last outcome', () => {
    const [lock] = locked().locks

    assert.deepEqual(lock!.onChain, { status: 'confirmed', ...chainAt, error: null, round: 1, seq: 2 })
    assert.equal(lock!.unlockOnChain, null)
    assert.equal(follow(locked(), failed('lock', 2)), undefined)
    assert.equal(follow(locked(), failed('lock', 3))!.locks[0]!.stage, 'locking')
  })

  it('counts the rounds of an unlock', () => {
    const lost = followed(unlocking(), failed('unlock', 2))
    const [lock] = lost.locks

    assert.deepEqual([lock!.unlockOnChain!.status, lock!.unlockOnChain!.round, lock!.unlockOnChain!.seq], ['failed', 1, 2])
    const [again] = upgradeBond(inOldForm(onTime(lost, lock!.retryAt!, () => key('next'))!.state)).locks
    assert.deepEqual([again!.unlockOnChain!.status, again!.unlockOnChain!.round, again!.unlockOnChain!.seq], ['pending', 2, 2])
  })

  it('reverses an unlock that was done by a newer failure of its round', () => {
    const lost = followed(unlocking(), failed('unlock', 2))
    const again = onTime(lost, lost.locks[0]!.retryAt!, () => key('next'))!.state
    const ended = followed(again, confirmed('unlock', 4, 2))

    assert.deepEqual([ended.locks, ended.free], [[], 100n])
    assert.equal(follow(ended, failed('unlock', 4, 2)), undefined)
    assert.equal(follow(ended, failed('unlock', 5, 1)), undefined)
    assert.deepEqual(
      follow(ended, failed('unlock', 5, 2))!.locks.map(({ stage, unlockOnChain }) => [stage, unlockOnChain!.round, unlockOnChain!.seq]),
      [['unlocking', 2, 5]],
    )
  })

  it('has a lock that failed, which the chain may still make', () => {
    const lost = followed(locking(), failed('lock', 2))

    assert.equal(follow(lost, confirmed('lock', 1)), undefined)
    assert.equal(follow(lost, confirmed('lock', 3))!.locks[0]!.onChain.status, 'confirmed')
  })

  it('is left alone in the present form', () => {
    for (const bond of [blank, staked(), locked(), unlocking()]) assert.equal(upgradeBond(bond), bond)
  })
})

describe('a bond lock', () => {
  it('is where the chain has it after its transaction came in another block', () => {
    const elsewhere = { ...confirmed('lock', 4), blockNumber: 12 }

    assert.deepEqual(follow(locked(), elsewhere)!.locks[0]!.onChain, { ...locked().locks[0]!.onChain, blockNumber: 12, seq: 4 })
  })
})
