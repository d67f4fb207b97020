import assert from 'node:assert/strict'
import fc from 'fast-check'
import { start } from '../../testing/facts.ts'
import { type Bond, lockedOf, noBond } from '../bond.ts'
import type { BondDecision } from '../bond-decision.ts'
import { bondPostings } from '../postings.ts'
import { endLock } from '../requests/end-lock.ts'
import { requestDeposit } from '../requests/request-deposit.ts'
import { requestLock } from '../requests/request-lock.ts'
import { requestReversal } from '../requests/request-reversal.ts'
import { requestSlash, slashAndUnlock } from '../requests/request-slash.ts'
import { requestWithdrawal } from '../requests/request-withdrawal.ts'
import { applyBondOutcome, type BondOutcome } from './apply-bond-outcome.ts'

const wallet = `0x${'22'.repeat(20)}`
const chainAt = { txHash: `0x${'ab'.repeat(32)}`, blockNumber: 9 }
const names = ['agent', 'gig', 'deposit', 'lock', 'slash', 'withdraw', 'unlock', 'unslash', 'end', 'second']
const key = (name: string): string => `0190a5d0-0000-7000-8000-${String(names.indexOf(name)).padStart(12, '0')}`
type Given = { id: string; is: 'confirmed' | 'failed'; seq: number }
const outcomeOf = ({ id, is, seq }: Given): BondOutcome =>
  is === 'confirmed' ? { is, id: key(id), round: 1, seq, logs: [], ...chainAt } : { is, id: key(id), round: 1, seq, code: 'REVERTED', message: 'x' }
const at = { operationId: 'o', now: start }
const slashed = { ...at, gigId: key('gig'), reason: 'r', validationId: null }

/** @param given of a bond on which nothing has to end first */
function follow(bond: Bond, given: BondOutcome, now = start, newId = ''): BondDecision | undefined {
  const made = applyBondOutcome(bond, given, now, () => newId)
  return made === 'later' ? assert.fail('it has to wait') : made
}

/** A bond with its accounts, which follow every change; what a reversed deposit still carries is received again later. */
function begin() {
  let bond: Bond = noBond({ id: key('agent'), wallet, chain: 'BASE_SEPOLIA' })
  const balances = new Map<string, bigint>([['fee-pool', 1_000n]])
  const keys = new Set<string>()
  const of = (name: string) => balances.get(name) ?? 0n
  const become = (made: BondDecision | undefined) => {
    if (!made) return
    for (const { id } of made.history) assert.ok(!keys.has(id) && keys.add(id), `history ${id} twice`)
    for (const { key, lines } of bondPostings(bond, made.state)) {
      assert.ok(!keys.has(key) && keys.add(key), `${key} twice`)
      for (const { account, debit, credit } of lines) balances.set(account, of(account) + credit - debit)
    }
    bond = made.state
    for (const [name, balance] of balances) assert.ok(balance >= 0n || /^(ext:|loss:)/.test(name), `${name}: ${balance}`)
    assert.deepEqual([of(`bond:${key('agent')}:free`), of(`bond:${key('agent')}:locked`)], [bond.free, lockedOf(bond)])
    assert.equal(bond.total, bond.free + lockedOf(bond))
  }
  return {
    of,
    become,
    bond: () => bond,
    /** False when it has to be received again later. */
    receive: (given: Given): boolean => {
      const made = applyBondOutcome(bond, outcomeOf(given), start, () => key('end'))
      if (made === 'later' || (made && made.state.free < 0n)) return false
      become(made)
      return true
    },
  }
}

/** A deposit of 100, and what was built on it: a lock of 50 of which 10 are slashed, a withdrawal of 20. */
function built() {
  const book = begin()
  const { become, bond } = book
  become(requestDeposit(bond(), { ...at, id: key('deposit'), amount: 100n, from: wallet, source: { kind: 'allowance' } }))
  book.receive({ id: 'deposit', is: 'confirmed', seq: 1 })
  become(requestLock(bond(), { lockId: key('lock'), gigId: key('gig'), amount: 50n, now: start }))
  book.receive({ id: 'lock', is: 'confirmed', seq: 1 })
  become(requestSlash(bond(), { ...slashed, slashId: key('slash'), amount: 10n, by: 'swarm' }))
  become(requestWithdrawal(bond(), { ...at, id: key('withdraw'), amount: 20n, to: wallet }))
  become(endLock(bond(), key('gig'), key('unlock')))
  return book
}
const ids = ['deposit', 'lock', 'slash', 'withdraw', 'unlock'] as const
type Id = (typeof ids)[number]

describe('a bond whose block is dropped', () => {
  const reversals: [Id, [bigint, bigint]][] = [
    ['withdraw', [90n, 0n]],
    ['slash', [80n, 0n]],
    ['unlock', [30n, 40n]],
  ]
  for (const [id, parts] of reversals)
    it(`is as if ${id} had never been sent when it fails after all`, () => {
      const book = built()
      for (const name of ['slash', 'withdraw', 'unlock']) book.receive({ id: name, is: 'confirmed', seq: 1 })
      assert.deepEqual([book.bond().free, book.of('fee-pool'), book.of(`ext:${wallet}`)], [70n, 1_010n, -80n])

      book.receive({ id, is: 'failed', seq: 3 })
      book.receive({ id, is: 'failed', seq: 3 })
      book.receive({ id, is: 'confirmed', seq: 1 })

      assert.deepEqual([book.bond().free, lockedOf(book.bond())], parts)
    })

  it('retries a reversed unlock, which ends it', () => {
    const book = built()
    for (const [is, seq] of [
      ['confirmed', 1],
      ['failed', 3],
    ] as const)
      book.receive({ id: 'unlock', is, seq })
    assert.ok(book.bond().locks[0]?.retryAt)

    book.receive({ id: 'unlock', is: 'confirmed', seq: 4 })

    assert.equal(book.bond().locks.length, 0)
  })

  it('restores the lock of a reversed unlock once no other lock of its gig is on the bond', () => {
    const book = built()
    for (const id of ['slash', 'unlock']) book.receive({ id, is: 'confirmed', seq: 1 })
    book.become(requestLock(book.bond(), { lockId: key('second'), gigId: key('gig'), amount: 5n, now: start }))

    assert.equal(book.receive({ id: 'unlock', is: 'failed', seq: 3 }), false)
    book.receive({ id: 'second', is: 'failed', seq: 1 })

    assert.ok(book.receive({ id: 'unlock', is: 'failed', seq: 3 }))
    assert.deepEqual(
      book.bond().locks.map(({ lockId, amount }) => [lockId, amount]),
      [[key('lock'), 40n]],
    )
  })

  const lockedGig = () => {
    const book = begin()
    book.become(requestDeposit(book.bond(), { ...at, id: key('deposit'), amount: 100n, from: wallet, source: { kind: 'allowance' } }))
    book.receive({ id: 'deposit', is: 'confirmed', seq: 1 })
    book.become(requestLock(book.bond(), { lockId: key('lock'), gigId: key('gig'), amount: 50n, now: start }))
    book.receive({ id: 'lock', is: 'confirmed', seq: 1 })
    return book
  }

  it('requests again a lock that its gig still needs, and abandons it when that fails too', () => {
    for (const again of ['confirmed', 'failed'] as const) {
      const book = lockedGig()

      book.receive({ id: 'lock', is: 'failed', seq: 3 })
      book.receive({ id: 'lock', is: 'confirmed', seq: 1 })
      const [lock] = book.bond().locks
      assert.deepEqual([lock?.lockId, lock?.stage, book.bond().free], [key('end'), 'locking', 50n])
      book.receive({ id: 'end', is: again, seq: 1 })

      assert.deepEqual([book.bond().free, lockedOf(book.bond())], again === 'confirmed' ? [50n, 50n] : [100n, 0n])
    }
  })

  it('releases the stake of a reversed lock when the deposit is reversed too', () => {
    const book = lockedGig()

    book.receive({ id: 'lock', is: 'failed', seq: 3 })
    assert.equal(book.receive({ id: 'deposit', is: 'failed', seq: 3 }), false)
    book.receive({ id: 'end', is: 'failed', seq: 1 })

    assert.ok(book.receive({ id: 'deposit', is: 'failed', seq: 3 }))
    assert.deepEqual([book.bond().total, book.bond().locks], [0n, []])
  })

  it('does not lock again for a gig that is over', () => {
    const book = lockedGig()
    book.become(endLock(book.bond(), key('gig'), key('unlock')))

    book.receive({ id: 'lock', is: 'failed', seq: 3 })
    book.receive({ id: 'unlock', is: 'failed', seq: 3 })

    assert.deepEqual([book.bond().free, book.bond().locks], [100n, []])
  })

  it('reverses what a failed reversal paid, and the slash can be reversed again', () => {
    const book = built()
    book.receive({ id: 'slash', is: 'confirmed', seq: 1 })
    const reversal = { ...slashed, id: key('unslash'), slashId: key('slash'), amount: 10n }
    book.become(requestReversal(book.bond(), reversal))
    book.receive({ id: 'unslash', is: 'confirmed', seq: 1 })
    assert.deepEqual([book.bond().slashed, book.bond().reversed], [0n, [key('slash')]])

    book.receive({ id: 'unslash', is: 'failed', seq: 3 })

    assert.deepEqual([book.bond().slashed, book.bond().reversed, book.of('fee-pool')], [10n, [], 1_010n])
  })

  it('counts the newest slash that was not reversed, and the reversed one again when its reversal fails', () => {
    const book = built()
    const receiveAt = (name: string, is: Given['is'], seq: number, hours: number) => {
      const at = new Date(start.getTime() + hours * 3_600_000)
      book.become(follow(book.bond(), outcomeOf({ id: name, is, seq }), at, key('end')))
      const { lastSlashAt } = book.bond()
      return lastSlashAt && (lastSlashAt.getTime() - start.getTime()) / 3_600_000
    }
    const request = { ...slashed, slashId: key('slash'), amount: 10n }

    assert.equal(receiveAt('slash', 'confirmed', 1, 1), 1)
    book.become(requestReversal(book.bond(), { ...request, id: key('unslash') }))
    assert.equal(book.bond().lastSlashAt?.getTime(), start.getTime() + 3_600_000)
    assert.equal(receiveAt('unslash', 'confirmed', 1, 2), null)
    assert.equal(receiveAt('unslash', 'failed', 3, 3), 1)

    book.become(requestSlash(book.bond(), { ...slashed, slashId: key('end'), amount: 5n, by: 'oracle' }))
    assert.equal(receiveAt('end', 'confirmed', 1, 4), 4)
    book.become(requestReversal(book.bond(), { ...slashed, id: key('second'), slashId: key('end'), amount: 5n }))
    assert.equal(receiveAt('second', 'confirmed', 1, 5), 1)
    assert.equal(receiveAt('slash', 'failed', 3, 6), null)
  })

  it('lets a verdict slash within seven days of one that was reversed', () => {
    const book = lockedGig()
    const verdict = (slash: string, gig: string) => ({
      ...slashed,
      slashId: key(slash),
      gigId: key(gig),
      unlockId: key('unlock'),
      by: 'swarm' as const,
    })
    book.become(slashAndUnlock(book.bond(), verdict('slash', 'gig')).outcome)
    book.receive({ id: 'slash', is: 'confirmed', seq: 1 })
    book.become(requestLock(book.bond(), { lockId: key('end'), gigId: key('second'), amount: 20n, now: start }))
    const next = () => slashAndUnlock(book.bond(), verdict('withdraw', 'second')).slashed
    assert.equal(next(), 0n)

    book.become(requestReversal(book.bond(), { ...slashed, id: key('unslash'), slashId: key('slash'), amount: 10n }))
    book.receive({ id: 'unslash', is: 'confirmed', seq: 1 })

    assert.equal(next(), 4n)
  })

  it('remembers at most 128 commands that can be reversed', () => {
    let bond: Bond = noBond({ id: key('agent'), wallet, chain: 'BASE_SEPOLIA' })
    const id = (index: number) => `0190a5d0-0000-7000-8000-1${String(index).padStart(11, '0')}`
    for (let index = 0; index < 300; index++) {
      bond = requestDeposit(bond, { ...at, id: id(index), amount: 1n, from: wallet, source: { kind: 'allowance' } }).state
      bond = follow(bond, { is: 'confirmed', id: id(index), round: 1, seq: 1, logs: [], ...chainAt })!.state
    }

    assert.deepEqual([bond.free, bond.done.length, bond.done[0]?.id, bond.done.at(-1)?.id], [300n, 128, id(172), id(299)])
    const reversed = follow(bond, { is: 'failed', id: id(299), round: 1, seq: 3, code: 'REVERTED', message: 'x' })!
    assert.equal(reversed.state.free, 299n)
  })

  it('forgets a day later what can be reversed', () => {
    const book = built()
    const tomorrow = new Date(start.getTime() + 86_400_001)
    const made = follow(book.bond(), outcomeOf({ id: 'withdraw', is: 'confirmed', seq: 1 }), tomorrow)!

    assert.deepEqual(
      made.state.done.map(({ id }) => id),
      [key('withdraw')],
    )
  })

  /** Free and locked stake, pool and what the outside gave, when the last outcome of each is this one. */
  const totalsOf = (book: ReturnType<typeof begin>) => [
    book.bond().free,
    lockedOf(book.bond()),
    book.of('fee-pool') + book.of('loss:fee-pool'),
    book.of(`ext:${wallet}`),
  ]
  const withStake = () => {
    const book = begin()
    book.become(requestDeposit(book.bond(), { ...at, id: key('second'), amount: 200n, from: wallet, source: { kind: 'allowance' } }))
    book.receive({ id: 'second', is: 'confirmed', seq: 1 })
    return book
  }
  const lockRequest = { lockId: key('lock'), gigId: key('gig'), amount: 50n, now: start }
  const withLocked = () => {
    const book = withStake()
    book.become(requestLock(book.bond(), lockRequest))
    book.receive({ id: 'lock', is: 'confirmed', seq: 1 })
    return book
  }
  const requests: Record<string, () => ReturnType<typeof begin>> = {
    deposit: () => {
      const book = withStake()
      book.become(requestDeposit(book.bond(), { ...at, id: key('deposit'), amount: 100n, from: wallet, source: { kind: 'allowance' } }))
      return book
    },
    withdraw: () => {
      const book = withStake()
      book.become(requestWithdrawal(book.bond(), { ...at, id: key('withdraw'), amount: 20n, to: wallet }))
      return book
    },
    slash: () => {
      const book = withLocked()
      book.become(requestSlash(book.bond(), { ...slashed, slashId: key('slash'), amount: 60n, by: 'swarm' }))
      return book
    },
    unslash: () => {
      const book = withLocked()
      book.become(requestSlash(book.bond(), { ...slashed, slashId: key('slash'), amount: 10n, by: 'swarm' }))
      book.receive({ id: 'slash', is: 'confirmed', seq: 1 })
      book.become(requestReversal(book.bond(), { ...slashed, id: key('unslash'), slashId: key('slash'), amount: 10n }))
      return book
    },
  }
  for (const [id, requested] of Object.entries(requests))
    it(`books a ${id} that the chain carried out after its failure, once, and reverses it with its block, as often as that comes`, () => {
      const [confirmed, late] = [requested(), requested()]
      confirmed.receive({ id, is: 'confirmed', seq: 1 })
      late.receive({ id, is: 'failed', seq: 1 })
      const failed = totalsOf(late)
      assert.notDeepEqual(totalsOf(confirmed), failed)

      for (const seq of [2, 5, 8]) {
        for (const _ of [1, 2]) late.receive({ id, is: 'confirmed', seq })
        late.receive({ id, is: 'failed', seq: 1 })
        assert.deepEqual(totalsOf(late), totalsOf(confirmed), `confirmed as ${seq}`)
        assert.deepEqual(late.bond().reversed, confirmed.bond().reversed)
        for (const _ of [1, 2]) late.receive({ id, is: 'failed', seq: seq + 2 })
        late.receive({ id, is: 'confirmed', seq })
        assert.deepEqual(totalsOf(late), failed, `failed as ${seq + 2}`)
        assert.equal(late.of(`transit:${key(id)}`), 0n)
      }
    })

  it('waits with a withdrawal that had its effect after its failure until what was built on that stake has failed', () => {
    const book = withStake()
    const withdrawal = (id: string) => book.become(requestWithdrawal(book.bond(), { ...at, id: key(id), amount: 150n, to: wallet }))
    withdrawal('withdraw')
    book.receive({ id: 'withdraw', is: 'failed', seq: 1 })
    withdrawal('end')

    assert.equal(book.receive({ id: 'withdraw', is: 'confirmed', seq: 2 }), false)
    book.receive({ id: 'end', is: 'failed', seq: 1 })

    assert.ok(book.receive({ id: 'withdraw', is: 'confirmed', seq: 2 }))
    assert.deepEqual([book.bond().free, book.of(`ext:${wallet}`)], [50n, -50n])
  })

  it('releases a lock that was made after its failure', () => {
    const book = withStake()
    book.become(requestLock(book.bond(), lockRequest))
    book.receive({ id: 'lock', is: 'failed', seq: 1 })
    assert.deepEqual([book.bond().free, book.bond().locks], [200n, []])

    for (const _ of [1, 2]) book.receive({ id: 'lock', is: 'confirmed', seq: 2 })
    const [lock] = book.bond().locks
    assert.deepEqual([book.bond().free, lock?.amount, lock?.stage, lock?.unlockId], [150n, 50n, 'unlocking', key('end')])

    book.receive({ id: 'lock', is: 'failed', seq: 4 })
    assert.deepEqual([book.bond().free, book.bond().locks], [200n, []])
    book.receive({ id: 'lock', is: 'confirmed', seq: 5 })
    assert.deepEqual([book.bond().locks[0]?.stage, book.bond().locks[0]?.retryAt], ['unlocking', start])
    book.receive({ id: 'end', is: 'confirmed', seq: 1 })

    assert.deepEqual([book.bond().free, book.bond().locks], [200n, []])
  })

  it('lets a lock that was made after its failure serve for the one that was requested in its place', () => {
    const book = withLocked()
    book.receive({ id: 'lock', is: 'failed', seq: 2 })
    assert.deepEqual([book.bond().locks[0]?.lockId, book.bond().locks[0]?.stage], [key('end'), 'locking'])

    book.receive({ id: 'lock', is: 'confirmed', seq: 3 })
    book.receive({ id: 'end', is: 'failed', seq: 1 })

    const [lock] = book.bond().locks
    assert.deepEqual([book.bond().free, lock?.lockId, lock?.stage, lock?.isOver], [150n, key('lock'), 'locked', false])
  })

  it('ends as the newest outcomes say, with every entry once, in any order and however often outcomes come', () => {
    const ends = fc.record(
      Object.fromEntries(ids.map(id => [id, fc.record({ reorgs: fc.integer({ min: 0, max: 2 }), isGood: fc.boolean(), isLate: fc.boolean() })])),
    )
    fc.assert(
      fc.property(ends, fc.infiniteStream(fc.nat()), (given, seeds) => {
        // as the contract has it: nothing exists without the deposit, and neither slash of the lock nor unlock without the lock
        const isGood = (id: Id): boolean =>
          given[id]!.isGood && (id === 'deposit' || isGood('deposit')) && (id === 'lock' || !['slash', 'unlock'].includes(id) || isGood('lock'))
        const book = built()
        const outcomes = ids.flatMap((id): Given[] => {
          const { reorgs, isLate } = given[id]!
          // late: it failed between its blocks
          const blocks = Array.from({ length: reorgs + 1 }, (_, index): Given[] => [
            ...(isLate && index > 0 ? [{ id, is: 'failed' as const, seq: 2 * index }] : []),
            { id, is: 'confirmed', seq: 2 * index + 1 },
          ]).flat()
          return isGood(id) ? blocks : [...blocks.slice(id === 'deposit' || id === 'lock' ? 0 : 1), { id, is: 'failed', seq: 2 * reorgs + 2 }]
        })
        let waiting = [...outcomes, ...outcomes].map(one => ({ one, at: seeds.next().value! })).sort((a, b) => a.at - b.at)
        for (let pass = 0; waiting.length > 0; pass++) {
          assert.ok(pass < 10, `${waiting.length} outcomes wait for ever`)
          waiting = waiting.filter(({ one }) => !book.receive(one))
        }

        // what was not expected of the unlock while its lock was lost is answered when it is sent again
        if (book.bond().locks.some(({ retryAt }) => retryAt) && isGood('unlock')) book.receive({ id: 'unlock', is: 'confirmed', seq: 100 })

        const [deposit, lock, slash, withdraw, unlock] = ids.map(isGood)
        const held = lock && !unlock ? 50n - (slash ? 10n : 0n) : 0n
        const total = (deposit ? 100n : 0n) - (withdraw ? 20n : 0n) - (slash ? 10n : 0n)
        assert.deepEqual([book.bond().free, lockedOf(book.bond())], [total - held, held])
        assert.deepEqual(
          [book.of('fee-pool') + book.of('loss:fee-pool'), book.of(`ext:${wallet}`)],
          [slash ? 1_010n : 1_000n, (withdraw ? 20n : 0n) - (deposit ? 100n : 0n)],
        )
        for (const id of ids) assert.equal(book.of(`transit:${key(id)}`), 0n)
      }),
      { numRuns: 200, includeErrorInReport: true },
    )
  })
})
